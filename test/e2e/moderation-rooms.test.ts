import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { moderated } from '../support/moderated.ts'
import { createModelStageHere, createStageHere } from '../support/stage.ts'
import { hurry, inTime, PACED } from '../support/paced.ts'

const stage = await forAllTests(moderated(await createModelStageHere('', { isShared: true })))
await stage.done('ann', 'create yard')

const { run, done } = stage

/** A loaded machine takes long for one ssh. */
const PATIENT = { timeout: 20_000 }

test('a muted person can read, but cannot speak or call models under any name of the key', async () => {
  expect(await done('ann', 'mute yard mallory')).toBe('ann muted mallory\n')
  const before = stage.models.requests.length
  const tries = [
    'say yard hi',
    'me yard waves',
    'ask yard @qwen hi',
    'run yard calculator {"expression":"1"}',
    'topic yard x',
  ]
  const mustFail = async (name: string, lines: readonly string[]): Promise<void> => {
    for (const line of lines) {
      const { exitCode, stderr } = await run(name, line, 'mallory')
      expect({ name, line, exitCode }).toEqual({ name, line, exitCode: 1 })
      expect(stderr).toMatch(/you are muted in yard|only the owner/)
    }
  }
  await mustFail('mallory', tries)
  await stage.restart('SIGTERM')
  await mustFail('max', tries.slice(0, 3))
  expect((await run('max', 'history yard', 'mallory')).stdout).toContain('ann muted mallory')
  expect(stage.models.requests.length).toBe(before)
  expect((await stage.entries('ann', 'yard', 50)).filter(({ author }) => author !== 'ann')).toEqual([])
})

test('a muted person reads that they are muted, can join and speaks again after /unmute', async () => {
  await using session = await stage.open('mallory', '-tt')
  await session.waitFor(/[-─]\S* lobby/)
  session.write('/join yard\rhello all\r')
  await session.waitFor('you are muted in yard until that is undone')
  await done('ann', 'unmute yard mallory')
  await session.waitFor('ann unmuted mallory')
  session.write('thanks\r')
  await expect.poll(() => done('ann', 'history yard -n 1'), PATIENT).toContain('mallory: thanks')
  session.write('/leave\r')
  await session.waitFor(/[-─]\S* lobby[^]*[-─]\S* lobby/)
})

test('a mute with a duration ends by itself', async () => {
  expect(await done('ann', 'mute yard mallory 1s')).toBe('ann muted mallory for 1s\n')
  const last = (await stage.entries('ann', 'yard')).findLast((entry) => 'act' in entry)
  expect(last?.['act']).toEqual({
    verb: 'mute',
    who: 'mallory',
    until: expect.stringMatching(/Z$/) as string,
  })
  await expect.poll(async () => (await run('mallory', 'say yard later')).exitCode, PATIENT).toBe(0)
})

test('a kick moves a session to the lobby, and a kick from the lobby ends it', async () => {
  await using session = await stage.open('mallory', '-tt')
  await session.waitFor(/[-─]\S* lobby/)
  session.write('/join yard\r')
  await session.waitFor(/[-─]\S* yard/)
  expect(await done('ann', 'kick yard mallory too loud')).toBe('ann kicked mallory: too loud\n')
  await session.waitFor('ann kicked you out of yard: too loud; you may come back')
  const seen = session.output().length
  session.write('/join yard\r')
  await session.waitFor(/[-─]\S* yard/, seen)
  session.write('/leave\r')
  await session.waitFor(/[-─]\S* lobby[^]*[-─]\S* lobby[^]*[-─]\S* lobby/)
  await done('rhea', 'kick lobby mallory')
  expect(await session.exit).toBe(1)
  expect((await run('mallory', 'whoami')).exitCode).toBe(0)
})

test('a ban from a room applies to all names of the key, and also to commands and exits', async () => {
  await done('mallory', 'create burrow')
  await done('mallory', 'portal burrow up yard')
  await using session = await stage.open('max', '-tt', 'mallory')
  await session.waitFor(/[-─]\S* lobby/)
  session.write('/join yard\r')
  await session.waitFor(/[-─]\S* yard/)
  await done('ann', 'op yard bob')
  expect(await done('bob', 'ban --room yard mallory 7d')).toBe('bob banned mallory from yard for 7d\n')
  await session.waitFor('you were banned from yard for 7d')
  for (const line of ['join yard', 'history yard', 'who yard', 'say yard x', 'ask yard @qwen x'])
    expect((await run('mallory', line)).stderr, line).toMatch(
      /^! ?you are banned from yard|^you are banned from yard/,
    )
  session.write('/join burrow\r/go up\r')
  await session.waitFor(/you are banned from yard for (7d|6d 23h) more/)
  expect(await done('mallory', 'rooms')).not.toContain('yard')
  expect(await done('bob', 'bans --room yard')).toMatch(
    /^mallory, also max {2}banned by bob until \d{1,2} [A-Z][a-z]{2} \d{4} /,
  )
  await done('bob', 'unban --room yard mallory')
  expect((await run('mallory', 'history yard')).exitCode).toBe(0)
})

test('moderation commands are rejected for owners, admins and the lobby', async () => {
  const refused = [
    ['bob', 'ban --room yard ann', 'owns yard'],
    ['bob', 'mute yard rhea', 'is an admin'],
    ['rhea', 'ban --room lobby bob', 'every session begins in the lobby'],
  ] as const
  for (const [name, line, why] of refused) {
    const { exitCode, stderr } = await run(name, line)
    expect({ line, exitCode, stderr }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(why) as string,
    })
  }
  expect(await done('ann', 'deop yard bob')).toBe("ann took the op's rights from bob\n")
  expect((await run('bob', 'kick yard mallory')).stderr).toContain('only the owner of yard')
})

test('an invited person cannot read a private room before joining or after being removed', async () => {
  await done('ann', 'create --private cave')
  await done('ann', 'say cave secret')
  await done('ann', 'topic cave gold')
  await done('ann', 'invite cave bob')
  for (const line of [
    'history cave',
    'search cave secret',
    'who cave',
    'wrap cave',
    'usage cave',
    'tools cave',
  ])
    expect((await run('bob', line)).stderr, line).toContain(
      'you are invited to cave, and no member yet; first: join cave',
    )
  expect((await run('bob', 'search - secret')).stdout).not.toContain('ann: secret')
  const rooms = await done('bob', 'rooms')
  expect(rooms).toContain('you are invited: join cave')
  expect(rooms).not.toContain('gold')
  await done('bob', 'join cave')
  expect(await done('bob', 'history cave')).toContain('ann: secret')
  expect(await done('ann', 'uninvite cave bob')).toBe('ann took bob out of the room\n')
  const [gone, never] = [await run('bob', 'history cave'), await run('bob', 'history nowhere')]
  expect(gone.stderr.replace('cave', 'nowhere')).toBe(never.stderr)
})

test('an archived room can be read but not written to until /archive off', async () => {
  await done('ann', 'create orchard')
  await done('ann', 'say orchard thanks')
  await done('ann', 'archive orchard')
  await stage.restart('SIGTERM')
  expect((await run('ann', 'say orchard x')).stderr).toContain('orchard is archived')
  expect(await done('bob', 'rooms')).toMatch(/^orchard {2}0 here {2}archived/m)
  expect(await done('bob', 'history orchard')).toContain('ann archived the room')
  await done('ann', 'archive orchard off')
  await done('ann', 'say orchard x')
})

test('a deleted room is exported to a file, and a new room of its name is empty', async () => {
  await using session = await stage.open('bob', '-tt')
  await session.waitFor(/[-─]\S* lobby/)
  session.write('/join orchard\r')
  await session.waitFor(/[-─]\S* orchard/)
  expect((await run('bob', 'delete orchard')).stderr).toContain('only the owner of orchard or an admin')
  const first = await run('ann', 'delete orchard')
  expect(first.exitCode).toBe(1)
  expect(first.stderr).toContain('To do it: delete orchard again within a minute')
  expect((await run('ann', 'delete orchard cave')).exitCode).toBe(2)
  const said = await done('ann', 'delete orchard orchard')
  await session.waitFor('ann deleted orchard')
  expect(said + session.output()).not.toContain(stage.server.dataDir)
  const name = /all of it is in ([^/]+); an admin finds it in the server's exports directory\n$/.exec(
    said,
  )![1]!
  const file = join(stage.server.dataDir, 'exports', name)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const kept = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { text: string })
  expect(kept.map(({ text }) => text)).toEqual(expect.arrayContaining(['thanks', 'ann deleted the room']))
  expect((await run('bob', 'history orchard')).stderr).toContain('there is no room called orchard')
  expect((await stage.entries('bob', 'lobby')).map(({ text }) => text)).toContain(
    'ann deleted the room orchard',
  )
  await done('mallory', 'create orchard')
  expect(await done('mallory', 'history orchard')).toBe('')
  expect((await run('mallory', 'search orchard thanks')).stdout).toContain('nothing here has')
})

describe('a person with a new name', () => {
  beforeAll(async () => {
    await stage.done('mallory', 'say lobby buy my things')
  })
  const texts = async (room: string, count = 20) =>
    (await stage.entries('rhea', room, count)).map(({ text }) => text)

  test('a rename by script appears in the rooms where the person spoke or is a member', async () => {
    await done('ann', 'create nook')
    await done('ann', 'create grotto')
    await done('mallory', 'join nook')
    await done('mallory', 'rename VOTE')
    for (const room of ['lobby', 'nook']) expect(await texts(room)).toContain('mallory is called VOTE now')
    expect(await done('rhea', 'history grotto')).toBe('')
  })

  test("moderation, messages and /ignore accept a person's former name", async () => {
    expect(await done('rhea', 'mute lobby mallory 1h')).toBe('rhea muted VOTE for 1h\n')
    expect((await run('VOTE', 'say lobby x', 'mallory')).stderr).toContain('you are muted in lobby')
    expect(await done('rhea', 'unmute lobby mallory')).toBe('rhea unmuted VOTE\n')
    expect(await done('ann', 'msg mallory stop it')).toContain('you -> VOTE: stop it')
    expect(await done('ann', 'ignore mallory')).toContain('VOTE')
    expect(await done('ann', 'op nook mallory')).toContain('ann made VOTE an op')
    expect(await done('ann', 'deop nook mallory')).toContain('from VOTE')
    expect(await done('rhea', 'ban mallory 1h')).toBe('rhea banned VOTE from the server for 1h\n')
    expect((await run('VOTE', 'whoami', 'mallory')).exitCode).toBe(255)
    expect(await done('rhea', 'unban mallory')).toContain('lifted the ban of VOTE')
  })
})

test('lines typed before a kick are dropped, and later lines go to the lobby', async () => {
  await using stage = await createStageHere({ config: PACED, isShared: true })
  await stage.as('ann', ['create', 'den'])
  await using session = await stage.open('bob', '-tt')
  await session.waitFor(/[-─]\S* lobby/)
  session.write('/join den\r')
  await session.waitFor(/[-─]\S* den/)
  await hurry(stage, 'bob')
  session.write('two\rthree\r')
  await stage.as('ann', ['kick', 'den', 'bob'])
  await session.waitFor('you were put out of den before this was done')
  await session.waitFor('1 line not sent: you were put out of the room')
  session.write('four\r')
  await expect.poll(() => inTime(stage, 'carol', 'history lobby'), { timeout: 10_000 }).toContain('bob: four')
  for (const room of ['den', 'lobby'])
    expect(await inTime(stage, 'carol', `history ${room}`), room).not.toMatch(/two|three/)
})

test('a draft survives a kick, and Enter then sends the draft to the lobby', async () => {
  await stage.as('ann', ['create', 'drafts'])
  await using session = await stage.open('bob', '-tt')
  await session.waitFor(/[-─]\S* lobby/)
  session.write('/join drafts\r')
  await session.waitFor(/[-─]\S* drafts/)
  session.write('half a')
  await session.waitFor('half a')
  await stage.as('ann', ['kick', 'drafts', 'bob'])
  await session.waitFor('ann kicked you out of drafts')
  session.write(' thought\r')
  const said = async (): Promise<string> => (await stage.as('carol', ['history', 'lobby'])).stdout
  await expect.poll(said, { timeout: 10_000 }).toContain('bob: half a thought')
})

test('piped input ends with status 1 when its author is kicked', async () => {
  await stage.as('ann', ['create', 'pipes'])
  await using pipe = await stage.open('bob', '-T')
  pipe.write('/join pipes\n')
  await pipe.waitFor(/[-─]\S* pipes/)
  await stage.as('ann', ['kick', 'pipes', 'bob'])
  await pipe.waitFor('ann kicked you out of pipes')
  expect(await pipe.exit).toBe(1)
})
