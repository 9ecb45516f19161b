import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectNothingLost } from '../support/expect-nothing-lost.ts'
import { lacks } from '../support/needs.ts'
import { operator } from '../support/operator.ts'
import { openOwnServer, type OwnServer } from '../support/postgres/own-server.ts'
import { createStage, type Stage } from '../support/stage.ts'
import { talkThrough, type TalkReport } from '../support/talk-through.ts'

/** Nobody who speaks fast is slowed down. */
const CONFIG = '[server]\naccess = "open"\n[limits]\nrate_burst = 1000000\nrate_per_s = 100000\n'

const UNREACHABLE = 'the database server cannot be reached; start it, or look at url in [storage]'
const AWAY = 'the database is away just now; the server tries it again by itself, so try again in a moment'

/** For what a busy machine may take long for. */
const PATIENT = { timeout: 20_000 }

const repeated = <T>(times: number, one: T): readonly T[] => Array.from({ length: times }, () => one)

describe.skipIf(lacks('postgres'))('a PostgreSQL server in trouble', () => {
  let postgres: OwnServer
  let stage: Stage
  beforeAll(async () => {
    postgres = await openOwnServer()
    const config = `${CONFIG}[storage]\nurl = "${postgres.url}?lock_timeout=300"\n`
    stage = await createStage({ config, http: true })
    for (const name of ['alice', 'bob']) await stage.as(name, ['say', 'lobby', 'before the trouble'])
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await postgres[Symbol.asyncDispose]()
  })

  const readiness = async (): Promise<number> => (await fetch(`${stage.server.http}/readyz`)).status
  const isReady = (): Promise<void> => expect.poll(readiness, PATIENT).toBe(200)

  /** All that was said until now, oldest first. */
  const saidInLobby = async (): Promise<readonly string[]> =>
    (await stage.as('bob', ['export', 'lobby', '--json'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly kind: string; readonly text: string })
      .flatMap(({ kind, text }) => (kind === 'message' ? text : []))

  /** What was shown is stored; what was refused is not. */
  async function expectKept(
    before: readonly string[],
    { shown, refused, unknown }: TalkReport,
  ): Promise<void> {
    const stored = (await saidInLobby()).slice(before.length)
    expectNothingLost({ shown, stored, damage: undefined })
    expect(refused.filter((line) => stored.includes(line))).toEqual([])
    const seen = new Set(shown.flat())
    expect(stored.filter((line) => !seen.has(line) && !unknown.includes(line))).toEqual([])
  }

  test('that is away: who is in a room stays and is told, nobody comes in, and all goes on when it is back', async () => {
    await using session = await stage.open('alice', '-T')
    await session.waitFor('alice joined')
    await postgres.stop('immediate')
    for (const line of ['lost words', '/history', '/search trouble', '/create den']) {
      const from = session.output().length
      session.write(`${line}\n`)
      await session.waitFor(`: ${AWAY}`, from)
    }
    for (const who of ['bob', 'newcomer'])
      expect(await stage.as(who, ['history', 'lobby'])).toMatchObject({
        exitCode: 1,
        stderr: `You cannot come in now: ${AWAY}.\n`,
      })
    expect(await readiness()).toBe(503)
    await postgres.start()
    await isReady()
    const logged = stage.server.stderr()
    expect(logged.match(/the database cannot be reached|the database can be reached again/g)).toEqual([
      'the database cannot be reached',
      'the database can be reached again',
    ])
    expect(logged).toContain(UNREACHABLE)
    expect(logged.match(/"login failed"/g), 'each login has its line').toHaveLength(2)
    expect(logged, 'no stack of what every part finds by itself').not.toContain('"stack"')
    session.write('stored again\n')
    await session.waitFor('alice: stored again')
    expect(await saidInLobby()).toEqual(['before the trouble', 'before the trouble', 'stored again'])
    expect(stage.server.process.exitCode).toBeNull()
  })

  test('that ends connections in the middle of transactions loses nothing that anybody saw', async () => {
    const before = await saidInLobby()
    await expectKept(before, await talkThrough(stage, 'cut', repeated(20, postgres.cutOff)))
  })

  test('that restarts and crashes while people talk loses nothing that anybody saw, and throws nobody out', async () => {
    const before = await saidInLobby()
    const restart = (mode: 'fast' | 'immediate') => async () => {
      await postgres.stop(mode)
      await postgres.start()
    }
    await expectKept(before, await talkThrough(stage, 'restart', [restart('fast'), restart('immediate')]))
    await isReady()
  })

  test('that has no connection left says so, and goes on when it has', async () => {
    await using session = await stage.open('alice', '-T')
    await session.waitFor('alice joined')
    await postgres.send('ALTER ROLE sshawl CONNECTION LIMIT 0')
    await postgres.cutOff()
    const full = 'the database server has no connection left; try again'
    session.write('no way in\n')
    await session.waitFor(`! not stored: ${full}`)
    expect((await stage.as('bob', ['whoami'])).stderr).toBe(`You cannot come in now: ${full}.\n`)
    await postgres.send('ALTER ROLE sshawl CONNECTION LIMIT -1')
    session.write('a way in\n')
    await session.waitFor('alice: a way in')
    expect(await saidInLobby()).not.toContain('no way in')
  })

  test('in which somebody else holds what is needed: who speaks is told, others read, and it goes on', async () => {
    await using session = await stage.open('alice', '-T')
    await session.waitFor('alice joined')
    const held = await postgres.hold('LOCK TABLE entries IN EXCLUSIVE MODE')
    session.write('held up\n')
    await session.waitFor(
      '! not stored: somebody else holds what was to be changed; try again when they are done',
    )
    expect(await saidInLobby()).not.toContain('held up')
    await held[Symbol.asyncDispose]()
    session.write('let go\n')
    await session.waitFor('alice: let go')
  })

  test('that does not answer at all: the server stops in time all the same', async () => {
    await using session = await stage.open('alice', '-T')
    await session.waitFor('alice joined')
    await postgres.signal('SIGSTOP')
    session.write('to nobody\n')
    try {
      expect(await stage.server.stop('SIGTERM')).toBe(0)
    } finally {
      await postgres.signal('SIGCONT')
    }
  })

  test('at the start: what is wrong is one line, which shows no password', async () => {
    const start = async (change: Partial<Pick<URL, 'password' | 'pathname' | 'port'>>) => {
      const url = Object.assign(new URL(postgres.url), change).toString()
      const words = ['--data', join(stage.dir, 'other'), '--listen', '127.0.0.1:0']
      await writeFile(join(stage.dir, 'other.toml'), '[storage]\nurl_env = "ROOMS"\n')
      return await operator(['serve', ...words, '--config', join(stage.dir, 'other.toml')], { ROOMS: url })
    }
    const refused = 'the database server refused the user or the password; look at url in [storage]'
    for (const [change, sentence] of [
      [{ password: 'wr0ng' }, refused],
      [{ password: '' }, 'the database server wants a password; put it into url in [storage]'],
      [
        { pathname: '/none' },
        'there is no such database; make it with createdb, or look at url in [storage]',
      ],
    ] as const) {
      const { exitCode, stdout, stderr } = await start(change)
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
      expect(stderr.split('\n').at(-1)).toContain(`sshawl: ${sentence}`)
      expect(stderr).not.toMatch(/tops3cret|wr0ng/)
    }
    await postgres.stop('fast')
    expect((await start({})).stderr).toContain(`sshawl: ${UNREACHABLE}`)
  })
})
