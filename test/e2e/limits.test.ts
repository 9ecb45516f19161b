import { describe, afterAll, beforeAll, expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { says } from '../support/model-server.ts'
import { openSsh } from '../support/ssh.ts'
import { startServer, type AnyServer } from '../support/server.ts'
import { createModelStageHere, createStageHere, type Stage } from '../support/stage.ts'

/** Every answer of the model server uses 18 tokens. */
const stage = await forAllTests(
  createModelStageHere(`
context_window = 16000

[limits]
members_per_room = 1
stall_s = 1
tokens_per_person_day = 30
tokens_per_room_day = 50
`),
)

const ask = (name: string) => stage.as(name, ['ask', 'lobby', '@qwen', 'hello?'])

test('a person over members_per_room of the lobby is disconnected with the reason', async () => {
  await using alice = await stage.open('alice', '-T')
  await alice.waitFor(/[-─]\S* lobby/)
  await using other = await stage.open('alice', '-T')
  await other.waitFor(/[-─]\S* lobby/)
  await using bob = await stage.open('bob', '-T')
  await bob.waitFor('! lobby is full: 1 of 1 people are in it; try again later')
  expect(await bob.exit).toBe(1)
  expect(alice.output()).not.toContain('bob')
})

test('a command whose standard input stalls for stall_s is ended with an error', async () => {
  const { port } = stage.server
  const target = { user: 'carol', port, key: await stage.home.key('carol'), options: ['-T'] }
  for (const silent of [true, false]) {
    await using command = openSsh(target, ['say', 'lobby'])
    if (!silent) command.write('half a line')
    await command.waitForError('standard input has not ended, and almost nothing came on it for 1s')
    expect(await command.exit).toBe(1)
  }
  const { stdout } = await stage.as('carol', ['history', 'lobby'])
  expect(stdout).not.toContain('half a line')
  expect(await stage.as('carol', ['say', 'lobby'], { input: 'a whole line' })).toMatchObject({ exitCode: 0 })
})

test('token quotas of a person and of a room still apply after a restart', async () => {
  await stage.goOnWith(startServer)
  stage.models.play(says('one'), says('two'), says('three'))
  for (const name of ['alice', 'alice', 'bob']) expect((await ask(name)).exitCode).toBe(0)
  await stage.restart('SIGKILL')
  const [alice, bob] = [await ask('alice'), await ask('bob')]
  expect(alice.exitCode).toBe(1)
  expect(alice.stderr).toMatch(
    /^the quota of alice \(tokens_per_person_day\) is used up: 36 of 30 tokens in 24 hours; ask again in (1d|23h 59m)\n$/,
  )
  expect(bob.exitCode).toBe(1)
  expect(bob.stderr).toMatch(
    /^the quota of lobby \(tokens_per_room_day\) is used up: 54 of 50 tokens in 24 hours; ask again in (1d|23h 59m)\n$/,
  )
  expect(stage.models.requests).toHaveLength(3)
})

describe('limits that a few people reach', () => {
  let stage: Stage<AnyServer>

  /** Each limit so low that a few people reach it. */
  beforeAll(async () => {
    const config = `
[limits]
names_per_key = 2
members_per_room = 2
presence_per_min = 3
bytes_per_person_day = 3000
rate_burst = 100
`
    stage = await createStageHere({ config })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('a key gets at most names_per_key names, even if it asks for many at once', async () => {
    const names = ['one', 'two', 'three', 'four']
    const asked = await Promise.all(names.map((name) => stage.as(name, ['whoami'], { key: 'many' })))
    const refused = asked.filter(({ stdout }) => stdout.includes('(guest)'))
    expect(refused).toHaveLength(2)
    for (const { stderr } of refused)
      expect(stderr).toBe('you are a guest: your key has 2 names and may have no more (names_per_key)\n')
    await using session = await stage.open('five', '-T', 'many')
    await session.waitFor(
      /you are five-\d{3}, a guest: your key has 2 names and may have no more \(names_per_key\)/,
    )
  })

  test('a guest reads that the requested name belongs to another key', async () => {
    expect(await stage.as('olga', ['whoami'])).toMatchObject({ stdout: 'olga (member)\n', stderr: '' })
    const { stderr } = await stage.as('o1ga', ['whoami'], { key: 'thief' })
    expect(stderr).toContain('you are a guest: the name o1ga belongs to another key')
  })

  test('a person cannot join a full room and stays in their current one', async () => {
    expect(await stage.as('olga', ['create', 'den'])).toMatchObject({ exitCode: 0 })
    await using owner = await stage.open('olga', '-T')
    await owner.waitFor(/[-─]\S* lobby/)
    owner.write('/join den\n')
    await owner.waitFor(/[-─]\S* den/)
    await using second = await stage.open('second', '-T')
    await second.waitFor(/[-─]\S* lobby/)
    second.write('/join den\n')
    await second.waitFor(/[-─]\S* den/)
    await using third = await stage.open('third', '-T')
    await third.waitFor(/[-─]\S* lobby/)
    third.write('/join den\nstill here\n')
    await third.waitFor('den is full: 2 of 2 people are in it; try again later')
    await third.waitFor('third: still here')
    owner.write('/join lobby\n')
    await owner.waitFor('third: still here')
    third.write('/join den\n')
    await third.waitFor(/[-─]\S* den/)
  })

  test('a person over bytes_per_person_day cannot write under any of their names, but can read', async () => {
    const say = (name: string, length: number) =>
      stage.as(name, ['say', 'lobby', 'x'.repeat(length)], { key: 'many' })
    expect(await say('one', 1_400)).toMatchObject({ exitCode: 0 })
    expect(await say('one', 1_400)).toMatchObject({ exitCode: 0 })
    for (const name of ['one', 'two']) {
      const { exitCode, stderr } = await say(name, 1_400)
      expect(exitCode).toBe(1)
      expect(stderr).toMatch(
        /^you have stored as much as one person may store in a day, with what models and tools stored for you \(bytes_per_person_day, 3000\); send less, or try again in \S+( \S+)?\n$/,
      )
    }
    const piped = await stage.as('one', ['say', 'lobby'], { key: 'many', input: 'y'.repeat(1_400) })
    expect(piped).toMatchObject({ exitCode: 1 })
    expect(piped.stderr).toContain('bytes_per_person_day')
    const { stdout } = await stage.as('one', ['history', 'lobby', '--json'], { key: 'many' })
    expect(stdout.match(/x{1400}/g)).toHaveLength(2)
    expect(stdout).not.toContain('yyy')
  })

  test('a person over bytes_per_person_day can still /ignore, /set and /quit', async () => {
    await stage.as('pest', ['say', 'lobby', 'buy'])
    const spent = (...words: readonly string[]) => stage.as('spent', words)
    await spent('say', 'lobby', 'z'.repeat(2_900))
    expect((await spent('topic', 'lobby', 'z'.repeat(100))).stderr).toContain('bytes_per_person_day')
    for (const _ of 'four') await spent('ignore', 'nobody-that-is-known-here')
    expect((await spent('say', 'lobby', 'x')).stderr).toContain('bytes_per_person_day')
    expect(await spent('ignore', 'pest')).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await spent('ignore')).toMatchObject({ exitCode: 0, stdout: 'pest\n' })
    expect(await spent('set', 'bell', 'off')).toMatchObject({ exitCode: 0, stderr: '' })
    await using session = await stage.open('spent', '-T')
    await session.waitFor(/[-─]\S* lobby/)
    session.write('hello\n/quit\n')
    await session.waitFor('bytes_per_person_day')
    expect(await session.exit).toBe(0)
  })

  test('joins and leaves over presence_per_min are summed in one line that survives a restart', async () => {
    for (const name of ['ann', 'ben', 'cyd', 'dan']) {
      await using session = await stage.open(name, '-T')
      await session.waitFor(/[-─]\S* lobby/)
    }
    await stage.restart('SIGTERM')
    const { stdout } = await stage.as('ann', ['history', 'lobby', '-n', '200', '--json'])
    const presence = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; event?: string; text: string; joined?: string[] })
      .filter(({ kind }) => kind === 'presence')
    const summed = presence.filter(({ event }) => event === 'summed')
    expect(presence.length - summed.length).toBeLessThanOrEqual(3)
    expect(summed.length).toBeGreaterThan(0)
    expect(summed.flatMap(({ joined = [] }) => joined)).toEqual(
      expect.arrayContaining(['ann', 'ben', 'cyd', 'dan']),
    )
  })
})
