import { beforeAll, describe, expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { startServer } from '../support/server.ts'
import { createModelStageHere } from '../support/stage.ts'
import { moderated } from '../support/moderated.ts'

const stage = await forAllTests(moderated(await createModelStageHere('', { isShared: true })))

const texts = async (room: string, who = 'alice'): Promise<string[]> => {
  const { stdout } = await stage.as(who, ['history', room, '-n', '500', '--json'])
  const entries = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { kind: string; text: string })
  return entries.filter((entry) => entry.kind === 'message').map((entry) => entry.text)
}

test("two people in the lobby see each other's lines in the order of the log", async () => {
  await using alice = await stage.open('alice', '-tt')
  await alice.waitFor('lobby')
  await using bob = await stage.open('bob', '-tt')
  await bob.waitFor('lobby')
  await alice.waitFor('bob joined')
  for (let round = 0; round < 5; round++) {
    alice.write(`from alice ${round}\r`)
    await bob.waitFor(`from alice ${round}`)
    bob.write(`from bob ${round}\r`)
    await alice.waitFor(`from bob ${round}`)
  }
  const said = (await texts('lobby')).filter((text) => text.startsWith('from '))
  expect(said).toEqual([0, 1, 2, 3, 4].flatMap((round) => [`from alice ${round}`, `from bob ${round}`]))
})

test('a session keeps its draft if ^X is pressed while no turn runs', async () => {
  await using alice = await stage.open('alice', '-tt')
  await alice.waitFor('lobby')
  alice.write('half a draft\u0018')
  await alice.waitFor('! nothing that you started is running in lobby')
  alice.write(', and the other half\r')
  await alice.waitFor('half a draft, and the other half')
  alice.write('\u0004')
  expect(await alice.exit).toBe(0)
})

test('a line that was shown is stored even if the server is killed', async () => {
  await stage.goOnWith(startServer)
  await using alice = await stage.open('alice', '-tt')
  await alice.waitFor('lobby')
  await using bob = await stage.open('bob', '-tt')
  await bob.waitFor('lobby')
  alice.write('the last words\r')
  await bob.waitFor('the last words')
  await stage.restart('SIGKILL')
  expect(await texts('lobby')).toContain('the last words')
})

test('piped input posts each line and exits with 0 without printing escapes', async () => {
  const session = await stage.open('carol', '-T')
  session.write('a\nb\n')
  session.close()
  expect(await session.exit).toBe(0)
  expect(session.output()).not.toContain('\u001b')
  expect((await texts('lobby')).slice(-2)).toEqual(['a', 'b'])
})

test('control characters in a line do not reach the terminals of others', async () => {
  await using bob = await stage.open('bob', '-T')
  await bob.waitFor('lobby')
  await stage.as('mallory', ['say', 'lobby', 'x\u001b[2Jy\u009b31m\u202ez'])
  const seen = await bob.waitFor('mallory: ')
  expect(seen).not.toMatch(/[\u001b\u009b\u202e]/)
})

test('a room name can be created once, and only its owner can set the topic', async () => {
  expect((await stage.as('alice', ['create', 'dev'])).exitCode).toBe(0)
  const again = await stage.as('bob', ['create', 'dev'])
  expect(again).toMatchObject({ exitCode: 1, stderr: 'the name dev is taken; choose another\n' })
  expect(await stage.as('bob', ['topic', 'dev', 'mine'])).toMatchObject({ exitCode: 1 })
  expect(await stage.as('alice', ['topic', 'dev', 'the', 'parser'])).toMatchObject({ exitCode: 0 })
  expect((await stage.as('bob', ['topic', 'dev'])).stdout).toBe('the parser\n')
})

test('a room keeps its topic and log over a restart', async () => {
  await stage.as('bob', ['say', 'dev', 'still here'])
  await stage.restart('SIGTERM')
  expect((await stage.as('bob', ['topic', 'dev'])).stdout).toBe('the parser\n')
  expect(await texts('dev')).toContain('still here')
})

test('a person who joins a room reads who is there, but no notice of their own join', async () => {
  await using bob = await stage.open('bob', '-T')
  await bob.waitFor(/[-─]\S* lobby/)
  bob.write('/join dev\n')
  await bob.waitFor(/-- dev: the parser[^]*-- nobody else is here now/)
  await using alice = await stage.open('alice', '-T')
  await alice.waitFor('alice joined')
  const before = alice.output().length
  alice.write('/join dev\n/leave\n/join dev\nback again\n')
  await alice.waitFor('alice: back again')
  const moved = alice.output().slice(before)
  expect(moved.match(/^-- here: bob and you$/gm)).toHaveLength(2)
  expect(moved).not.toMatch(/alice (joined|left)/)
  await bob.waitFor(/alice joined[^]*alice left[^]*alice joined/)
})

const { run, done } = stage

/** What scripts get from a room's log. */
const textsOf = async (name: string, room: string): Promise<readonly unknown[]> =>
  (await stage.entries(name, room, 20)).map(({ text }) => text)

describe('a room that is handed over', () => {
  beforeAll(async () => {
    await done('ann', 'create --private cave')
    await done('ann', 'create yard')
  })

  test('an owner can give a room only to a person in it, and other people cannot give it away', async () => {
    expect((await run('bob', 'owner yard bob')).stderr).toContain('only the owner of yard or an admin')
    expect((await run('rhea', 'owner lobby rhea')).stderr).toContain("the lobby is everybody's")
    expect((await run('ann', 'owner yard nobody-here')).stderr).toContain('has registered here')
    expect((await run('ann', 'owner yard bob')).stderr).toContain('bob is not in yard; once they are there')
    expect((await run('ann', 'owner cave bob')).stderr).toContain('bob is no member of cave')
    expect((await run('ann', 'owner cave ann')).stderr).toContain('ann owns cave already')
  })

  test('a new owner manages the room after a restart, too, and the old one becomes an op', async () => {
    await using bob = await stage.open('bob', '-tt')
    await bob.waitFor(/[-─]\S* lobby/)
    bob.write('/join yard\r')
    await bob.waitFor(/[-─]\S* yard/)
    expect(await done('ann', 'owner yard bob')).toBe('ann made bob the owner\n')
    await bob.waitFor('ann made bob the owner')
    const inYard = bob.output().length
    bob.write('/leave\r')
    await bob.waitFor(/[-─]\S* lobby/, inYard)
    expect(await textsOf('bob', 'yard')).toContain('ann made bob the owner')
    await done('ann', 'topic yard plans')
    expect((await run('ann', 'archive yard')).stderr).toContain('only the owner of yard')
    await stage.restart('SIGTERM')
    await done('bob', 'archive yard')
    await done('bob', 'archive yard off')
  })

  test('an owner can leave a room only after giving it to another owner', async () => {
    await done('ann', 'invite cave mallory')
    await done('mallory', 'join cave')
    expect((await run('ann', 'leave cave')).stderr).toContain('first give it another owner')
    await done('ann', 'owner cave mallory')
    await done('ann', 'leave cave')
    expect((await run('ann', 'history cave')).stderr).toContain('there is no room called cave')
  })

  test('an admin can give a room to a person who never was in it', async () => {
    await done('rhea', 'owner yard mallory')
    await done('mallory', 'archive yard')
  })
})

test('a renamed room keeps its data and its people, and all of them see one notice', async () => {
  await done('ann', 'create den')
  await done('ann', 'topic den plans')
  await done('ann', 'say den a red herring')
  await done('ann', 'kv den colour blue')
  await done('ann', 'ban --room den mallory')
  await done('ann', 'op den rhea')
  await done('ann', 'portal den up lobby')
  await done('rhea', 'portal lobby down den')
  await done('ann', 'ask den @guide call Write {"path":"a.txt","content":"x"}')
  await using bob = await stage.open('bob', '-tt')
  await bob.waitFor(/[-─]\S* lobby/)
  bob.write('/join den\r')
  await bob.waitFor(/[-─]\S* den · plans/)
  await using ann = await stage.open('ann', '-tt')
  await ann.waitFor(/[-─]\S* lobby/)
  ann.write('/join den\r')
  await ann.waitFor(/[-─]\S* den · plans/)
  ann.write('/rename-room den2\r')
  for (const session of [ann, bob]) {
    await session.waitFor(/[-─]\S* den2 · plans/)
    await session.waitFor('ann renamed the room: den is den2 now')
  }
  bob.write('still here\r')
  await ann.waitFor('still here')
  expect(await done('ann', 'who den2')).toContain('ann (owner), bob')
  expect(await done('ann', 'search den2 herring')).toContain('a red herring')
  expect(await done('ann', 'kv den2 colour')).toContain('blue')
  expect(await done('ann', 'exits den2')).toBe('up  lobby\n')
  expect(await done('bob', 'exits lobby')).toBe('down  den2\n')
  expect((await run('mallory', 'join den2')).stderr).toContain('you are banned from den2')
  const texts = await textsOf('ann', 'den2')
  expect(texts.filter((text) => text === 'ann renamed the room: den is den2 now')).toHaveLength(1)
  expect(texts.slice(-2)).toEqual(['ann renamed the room: den is den2 now', 'still here'])
})

test('a renamed room is found only by its new name, and its old name stays reserved', async () => {
  await stage.restart('SIGTERM')
  expect((await run('bob', 'say den hello')).stderr).toBe('den is called den2 now\n')
  expect((await run('bob', 'create den')).stderr).toContain('the name den is taken')
  expect((await run('bob', 'fork den2 den')).stderr).toContain('the name den is taken')
  expect(await done('ann', 'kv den2')).toBe('colour = "blue"\nexits = {"up":"lobby"}\n')
  expect((await run('ann', 'ask den2 @guide call history {"room":"den"}')).stdout).toContain(
    'den is called den2 now',
  )
})

test('a room can be renamed to a free name or its old one, by its owner or an admin', async () => {
  expect((await run('bob', 'rename-room den2 pit')).stderr).toContain('only the owner of den2 or an admin')
  expect((await run('rhea', 'rename-room lobby pit')).stderr).toContain("the lobby is everybody's")
  for (const name of ['lobby', 'yard', 'den2'])
    expect((await run('ann', `rename-room den2 ${name}`)).stderr).toContain(`the name ${name} is taken`)
  expect(await done('rhea', 'rename-room den2 den')).toBe('rhea renamed the room: den2 is den now\n')
  expect((await run('bob', 'history den2')).stderr).toContain('den2 is called den now')
})

test('the old name of a private room is answered to non-members like an unknown name', async () => {
  await done('ann', 'create --private attic')
  await done('ann', 'rename-room attic loft')
  const [old, never] = [await run('bob', 'history attic'), await run('bob', 'history attxc')]
  expect(old.stderr.replace('attic', 'attxc')).toBe(never.stderr)
  expect((await run('ann', 'history attic')).stderr).toContain('attic is called loft now')
})
