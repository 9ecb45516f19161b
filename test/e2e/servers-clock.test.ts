import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCluster, type ClusterStage } from '../support/cluster.ts'
import { clockEnvironment } from '../support/faults/machine.ts'
import { lacks } from '../support/needs.ts'

const HOUR_MS = 3_600_000

/** The second server's. */
const AHEAD = 1

describe.skipIf(lacks('postgres'))('a server whose clock is an hour ahead', () => {
  let stage: ClusterStage
  beforeAll(async () => {
    stage = await createCluster({
      servers: 2,
      env: (at) => (at === AHEAD ? clockEnvironment(HOUR_MS) : {}),
    })
    await stage.done(0, 'rhea', `claim ${stage.servers[0]!.claimCode}`)
    for (const name of ['cat', 'dan', 'gus']) await stage.done(0, name, 'whoami')
  }, 30_000)
  afterAll(() => stage[Symbol.asyncDispose]())

  /** Runs the line until it is refused so: what another server decided is in force within a moment. */
  async function refused(at: number, name: string, line: string, why: RegExp): Promise<void> {
    for (;;) if (why.test((await stage.run(at, name, line)).stderr)) return
  }

  /** How many of the rows have a moment that is more than these minutes from now, by the database. */
  async function wrong(column: string, table: string, minutes: number): Promise<unknown> {
    const [row] = await stage.database.send(`
      SELECT count(*)::int AS wrong, (SELECT count(*)::int FROM ${table}) AS rows FROM ${table}
      WHERE abs(${column} - extract(epoch FROM clock_timestamp()) * 1000 - ${minutes} * 60000) > 600000`)
    expect(row?.['rows']).toBeGreaterThan(0)
    return row?.['wrong']
  }

  test('holds people to a mute and a ban of twenty minutes', async () => {
    await stage.done(0, 'rhea', 'mute lobby cat 20m')
    await stage.done(0, 'rhea', 'ban gus 20m')
    await refused(AHEAD, 'cat', 'say lobby x', /you are muted in lobby/)
    await refused(AHEAD, 'gus', 'whoami', /Permission denied/)
    await stage.done(AHEAD, 'rhea', 'mute lobby dan 20m')
    await refused(0, 'dan', 'say lobby x', /you are muted in lobby/)
    expect(await wrong('until', 'sanctions', 20)).toBe(0)
  })

  test('gives codes and tokens the days that it says, and takes those of the others', async () => {
    const made = JSON.parse(await stage.done(AHEAD, 'rhea', 'token new --days 1 --json')) as { id: number }
    expect(made.id).toBeGreaterThan(0)
    await stage.done(AHEAD, 'rhea', 'invites new --days 1')
    for (const table of ['tokens', 'invites']) {
      expect(await wrong('until', table, 24 * 60)).toBe(0)
      expect(await wrong('at', table, 0)).toBe(0)
    }
  })

  test('stores what is said with the moment of the others, with ids of that moment', async () => {
    await stage.done(AHEAD, 'rhea', 'say lobby one')
    await stage.done(0, 'rhea', 'say lobby two')
    expect(await wrong('at', 'entries', 0)).toBe(0)
    const [last] = await stage.database.send(`SELECT max(id) AS id FROM entries`)
    const [now] = await stage.database.send(
      `SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now`,
    )
    expect(timeOf(String(last?.['id']))).toBeLessThan(Number(now?.['now']) + 600_000)
  })

  test('says so in its log, and to admins who log in, at each server', async () => {
    const [one, two] = stage.servers
    expect(two!.stderr()).toContain('"seconds":3600')
    expect(two!.stderr().match(/the clock of this machine is wrong/g)).toHaveLength(1)
    expect(one!.stderr()).not.toContain('the clock of this machine')
    for (const at of [0, AHEAD]) {
      await using rhea = await stage.inLobby(at, 'rhea')
      await rhea.waitFor(
        new RegExp(
          `-- the clock of the server \\S+ \\(127\\.0\\.0\\.1:${two!.port}\\) is 3600 s ahead of the`,
        ),
      )
    }
    await using dan = await stage.inLobby(0, 'dan')
    await dan.waitFor('type to speak')
    expect(dan.output()).not.toContain('the clock')
  })
})

/** Of a ULID, in milliseconds since the epoch: its first ten digits, in Crockford's base 32. */
const timeOf = (id: string): number =>
  [...id.slice(0, 10)].reduce((sum, digit) => sum * 32 + '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(digit), 0)
