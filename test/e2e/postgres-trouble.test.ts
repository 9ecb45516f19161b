import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lacks } from '../support/needs.ts'
import { operator } from '../support/operator.ts'
import { type OwnServer, openOwnServer } from '../support/postgres/own-server.ts'
import {
  linesInLobby,
  openTroubledStage,
  readinessOf,
  untilReady,
} from '../support/postgres/troubled-stage.ts'
import { type Stage, createStage } from '../support/stage.ts'
import { expectNothingLost } from '../support/expect-nothing-lost.ts'
import { talkThrough, type TalkReport } from '../support/talk-through.ts'
import { tinyDisk } from '../support/tiny-disk.ts'

const UNREACHABLE = 'the database server cannot be reached; start it, or look at url in [storage]'
const AWAY = 'the database cannot be reached just now; the server keeps trying, so try again in a moment'

const repeated = <T>(times: number, one: T): readonly T[] => Array.from({ length: times }, () => one)

describe.skipIf(lacks('postgres'))('a PostgreSQL server in trouble', () => {
  let postgres: OwnServer
  let stage: Stage
  beforeAll(async () => {
    ;({ postgres, stage } = await openTroubledStage())
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await postgres[Symbol.asyncDispose]()
  })

  const readiness = (): Promise<number> => readinessOf(stage)
  const isReady = (): Promise<void> => untilReady(stage)
  const saidInLobby = (): Promise<readonly string[]> => linesInLobby(stage)

  test('a stop of PostgreSQL rejects new logins, but keeps sessions, which can speak again afterwards', async () => {
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
    expect(logged.match(/the database cannot be reached(?=")|the database can be reached again/g)).toEqual([
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

  test('a lack of database connections is reported, and lines are stored once there is one again', async () => {
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

  test('lines are rejected with the reason while a lock is held in PostgreSQL', async () => {
    await using session = await stage.open('alice', '-T')
    await session.waitFor('alice joined')
    const held = await postgres.hold('LOCK TABLE entries IN EXCLUSIVE MODE')
    session.write('held up\n')
    await session.waitFor('! not stored: another change has locked the same data; try again when it is done')
    expect(await saidInLobby()).not.toContain('held up')
    await held[Symbol.asyncDispose]()
    session.write('let go\n')
    await session.waitFor('alice: let go')
  })

  /** What was shown is stored; what was refused is not. */
  async function expectKept(
    before: readonly string[],
    { shown, refused, unknown }: TalkReport,
  ): Promise<void> {
    const stored = (await linesInLobby(stage)).slice(before.length)
    expectNothingLost({ shown, stored, damage: undefined })
    expect(refused.filter((line) => stored.includes(line))).toEqual([])
    const seen = new Set(shown.flat())
    expect(stored.filter((line) => !seen.has(line) && !unknown.includes(line))).toEqual([])
  }

  test('no line that anybody saw is lost if PostgreSQL ends connections within transactions', async () => {
    const before = await linesInLobby(stage)
    await expectKept(before, await talkThrough(stage, 'cut', repeated(20, postgres.cutOff)))
  })

  test('no line that anybody saw is lost if PostgreSQL restarts and crashes while people talk', async () => {
    const before = await linesInLobby(stage)
    const restart = (mode: 'fast' | 'immediate') => async () => {
      await postgres.stop(mode)
      await postgres.start()
    }
    await expectKept(before, await talkThrough(stage, 'restart', [restart('fast'), restart('immediate')]))
    await untilReady(stage)
  })

  test('the server stops with status 0 if PostgreSQL does not respond', async () => {
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

  test('a failed start on PostgreSQL prints the reason in one sentence without the password', async () => {
    const config = join(stage.dir, 'other.toml')
    await writeFile(config, '[storage]\nurl_env = "ROOMS"\n')
    const start = async (change: Partial<Pick<URL, 'password' | 'pathname' | 'port' | 'search'>>) => {
      const url = Object.assign(new URL(postgres.url), change).toString()
      const data = await mkdtemp(join(stage.dir, 'other-'))
      const words = ['--data', data, '--listen', '127.0.0.1:0', '--config', config]
      return await operator(['serve', ...words], { ROOMS: url })
    }
    const refused = 'the database server refused the user or the password; look at url in [storage]'
    const tries = [
      [{ password: 'wr0ng' }, refused],
      [{ search: '?sslmode=require' }, 'the database server takes no encrypted connections; change sslmode'],
      [{ password: '' }, 'the database server wants a password; put it into url in [storage]'],
      [
        { pathname: '/none' },
        'there is no such database; make it with createdb, or look at url in [storage]',
      ],
    ] as const
    const ends = await Promise.all(tries.map(async ([change]) => await start(change)))
    for (const [index, [, sentence]] of tries.entries()) {
      const { exitCode, stdout, stderr } = ends[index] ?? {}
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
      expect(stderr?.split('\n').at(-1)).toContain(`sshawl: ${sentence}`)
      expect(stderr).not.toMatch(/tops3cret|wr0ng|Warning/i)
    }
    await postgres.stop('fast')
    expect((await start({})).stderr).toContain(`sshawl: ${UNREACHABLE}`)
  })
})

const FULL = "the database server's disk is full; free some space there and try again"

/** A line for which PostgreSQL needs pages of their own, since it cannot be made shorter. */
const longLine = (name: string): string => `${name} ${randomBytes(2_900).toString('base64')}`

const disk = lacks('postgres') ? undefined : tinyDisk(64)

test.skipIf(disk === undefined)(
  'a full disk of PostgreSQL rejects lines with the reason, and no line that was shown is lost',
  async () => {
    using full = disk!
    await using postgres = await openOwnServer({ disk: full.path })
    const config = `[server]\naccess = "open"\n[storage]\nurl = "${postgres.url}"\n`
    await using stage = await createStage({ config })
    for (const name of ['alice', 'bob']) await stage.as(name, ['say', 'lobby', 'before the trouble'])
    const session = await stage.open('alice', '-T')
    await session.waitFor('alice joined')
    const filler = full.fill()

    const shown = ['before the trouble', 'before the trouble']
    let isFull = false
    for (let n = 0; n < 50 && !isFull; n++) {
      const from = session.output().length
      session.write(`${longLine(`line${n}`)}\n`)
      isFull = (await session.waitFor(/(alice: line|! not stored: ).*\n/, from)).includes(FULL, from)
      if (!isFull) shown.push(`line${n}`)
    }
    expect(isFull).toBe(true)
    expect(await stage.as('bob', ['say', 'lobby'], { input: longLine('lost') })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`not stored: ${FULL}`) as string,
    })
    expect(await stage.as('bob', ['search', 'lobby', 'trouble'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('before the trouble') as string,
    })

    filler.free()
    session.write('there is room again\n')
    await session.waitFor('alice: there is room again')
    const stored = (await stage.as('bob', ['export', 'lobby', '--json'])).stdout.trim().split('\n')
    const texts = stored
      .map((line) => JSON.parse(line) as { readonly kind: string; readonly text: string })
      .flatMap(({ kind, text }) => (kind === 'message' ? text.replace(/^(line\d+) .*/, '$1') : []))
    expect(texts).toEqual([...shown, 'there is room again'])
    session.close()
    expect(await session.exit).toBe(0)
  },
)
