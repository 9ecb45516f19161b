import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

let stage: Stage<AnyServer>
beforeAll(async () => {
  stage = await createStageHere({ isShared: true })
  await stage.claim('rhea')
})
afterAll(() => stage[Symbol.asyncDispose]())

const texts = async (room: string, who = 'alice'): Promise<string[]> => {
  const { stdout } = await stage.as(who, ['history', room, '-n', '500', '--json'])
  const entries = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { kind: string; text: string })
  return entries.filter((entry) => entry.kind === 'message').map((entry) => entry.text)
}

describe('two people in the lobby', () => {
  test('see each other at once and in the order of the log', async () => {
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

  test('stay where they are when they press ^X and nothing runs', async () => {
    await using alice = await stage.open('alice', '-tt')
    await alice.waitFor('lobby')
    alice.write('half a draft\u0018')
    await alice.waitFor('! nothing that you started is running in lobby')
    alice.write(', and the other half\r')
    await alice.waitFor('half a draft, and the other half')
    alice.write('\u0004')
    expect(await alice.exit).toBe(0)
  })

  test('lose nothing that was shown when the server is killed', async () => {
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
})

describe('a pipe without a terminal', () => {
  test('posts each line, prints no escape and exits 0', async () => {
    const session = await stage.open('carol', '-T')
    session.write('a\nb\n')
    session.close()
    expect(await session.exit).toBe(0)
    expect(session.output()).not.toContain('\u001b')
    expect((await texts('lobby')).slice(-2)).toEqual(['a', 'b'])
  })

  test('cannot smuggle controls into other terminals', async () => {
    await using bob = await stage.open('bob', '-T')
    await bob.waitFor('lobby')
    await stage.as('mallory', ['say', 'lobby', 'x\u001b[2Jy\u009b31m\u202ez'])
    const seen = await bob.waitFor('mallory: ')
    expect(seen).not.toMatch(/[\u001b\u009b\u202e]/)
  })
})

describe('rooms', () => {
  test('are made once, and belong to their maker', async () => {
    expect((await stage.as('alice', ['create', 'dev'])).exitCode).toBe(0)
    const again = await stage.as('bob', ['create', 'dev'])
    expect(again).toMatchObject({ exitCode: 1, stderr: 'the name dev is taken; choose another\n' })
    expect(await stage.as('bob', ['topic', 'dev', 'mine'])).toMatchObject({ exitCode: 1 })
    expect(await stage.as('alice', ['topic', 'dev', 'the', 'parser'])).toMatchObject({ exitCode: 0 })
    expect((await stage.as('bob', ['topic', 'dev'])).stdout).toBe('the parser\n')
  })

  test('that are private do not exist for others', async () => {
    await stage.as('alice', ['create', 'den', '--private'])
    const hidden = await stage.as('bob', ['history', 'den'])
    const missing = await stage.as('bob', ['history', 'dxn'])
    expect(hidden.stderr.replace('den', 'dxn')).toBe(missing.stderr)
    expect((await stage.as('bob', ['rooms'])).stdout).not.toContain('den')
    await stage.as('alice', ['invite', 'den', 'bob'])
    expect((await stage.as('bob', ['join', 'den'])).exitCode).toBe(0)
    expect((await stage.as('bob', ['say', 'den', 'hello'])).exitCode).toBe(0)
  })

  test('outlive a restart with their topic and log', async () => {
    await stage.as('bob', ['say', 'dev', 'still here'])
    await stage.restart('SIGTERM')
    expect((await stage.as('bob', ['topic', 'dev'])).stdout).toBe('the parser\n')
    expect(await texts('dev')).toContain('still here')
  })

  test('are left and joined in a session', async () => {
    await using alice = await stage.open('alice', '-T')
    await alice.waitFor('-- lobby')
    alice.write('/join dev\n')
    await alice.waitFor('-- dev: the parser')
    alice.write('in dev now\n/leave\nin the lobby now\n/quit\n')
    expect(await alice.exit).toBe(0)
    expect(await texts('dev')).toContain('in dev now')
    expect(await texts('lobby')).toContain('in the lobby now')
  })

  test('say who is there to who goes in, and neither joined nor left of their own', async () => {
    await using bob = await stage.open('bob', '-T')
    await bob.waitFor('-- lobby')
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
})

describe('what a script gets wrong', () => {
  test.each([
    [['tolls'], 2, /^unknown command tolls; did you mean tools\?/],
    [['say'], 2, /ROOM is missing/],
    [['say', 'lobby'], 1, /nothing to say/],
    [['say', 'lobby', 'x'.repeat(4001)], 1, /4001 characters and 4000 are allowed/],
    [['history', 'lobby', '-n', '0'], 2, /whole number/],
    [['history', 'lobby', '-n', '1e3'], 2, /whole number/],
    [['history', 'lobby', '--before', 'yesterday'], 2, /no entry's id/],
    [['ask', 'lobby', '@gude', 'hi'], 1, /did you mean @guide\?/],
    [['join', 'no-such-room'], 1, /there is no room called no-such-room/],
    [['create', 'Not A Room'], 2, /one word too many/],
    [['create', 'Room'], 1, /cannot be a room/],
  ])('%j exits %i', async (words, status, message) => {
    const { exitCode, stderr } = await stage.as('dave', words)
    expect(stderr).toMatch(message)
    expect(exitCode).toBe(status)
  })
})
