import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lacks } from '../support/needs.ts'
import { operator } from '../support/operator.ts'
import type { OwnServer } from '../support/postgres/own-server.ts'
import {
  linesInLobby,
  openTroubledStage,
  readinessOf,
  untilReady,
} from '../support/postgres/troubled-stage.ts'
import type { Stage } from '../support/stage.ts'

const AWAY = 'the database server cannot be reached; start it, or look at url in [storage]'

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
    expect(logged.match(/"login failed"/g), 'each login has its line').toHaveLength(2)
    expect(logged, 'no stack of what every part finds by itself').not.toContain('"stack"')
    session.write('stored again\n')
    await session.waitFor('alice: stored again')
    expect(await saidInLobby()).toEqual(['before the trouble', 'before the trouble', 'stored again'])
    expect(stage.server.process.exitCode).toBeNull()
  })

  test('that has no connection left says so, and goes on when it has', async () => {
    await using session = await stage.open('alice', '-T')
    await session.waitFor('alice joined')
    await postgres.send('ALTER ROLE sshawl CONNECTION LIMIT 0')
    await postgres.cutOff()
    const full = 'the database server has no connection left; try again, or raise its max_connections'
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
    const config = join(stage.dir, 'other.toml')
    await writeFile(config, '[storage]\nurl_env = "ROOMS"\n')
    const start = async (change: Partial<Pick<URL, 'password' | 'pathname' | 'port'>>) => {
      const url = Object.assign(new URL(postgres.url), change).toString()
      const data = await mkdtemp(join(stage.dir, 'other-'))
      const words = ['--data', data, '--listen', '127.0.0.1:0', '--config', config]
      return await operator(['serve', ...words], { ROOMS: url })
    }
    const refused = 'the database server refused the user or the password; look at url in [storage]'
    const tries = [
      [{ password: 'wr0ng' }, refused],
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
      expect(stderr).not.toMatch(/tops3cret|wr0ng/)
    }
    await postgres.stop('fast')
    expect((await start({})).stderr).toContain(`sshawl: ${AWAY}`)
  })
})
