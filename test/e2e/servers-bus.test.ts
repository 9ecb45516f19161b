import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCluster } from '../support/cluster.ts'
import { createTalkers, type Talkers } from '../support/faults/talkers.ts'
import { startNats } from '../support/nats.ts'
import { lacks } from '../support/needs.ts'
import { operator } from '../support/operator.ts'

const LACKS = lacks('postgres') || lacks('nats')

const LIMITS = '[limits]\naddress_burst = 1000000\n'
const BUS = '[bus]\nurl_env = "BUS"\n'

const HOUR_MS = 3_600_000

const EVERYBODY = [0, 1, 2]

describe.skipIf(LACKS)('three servers of which the third has a clock that is an hour ahead', () => {
  let talkers: Talkers
  beforeAll(async () => {
    talkers = await createTalkers({ servers: 3, bus: 'nats', clocksOffMs: [0, 0, HOUR_MS] })
  })
  afterAll(async () => await talkers[Symbol.asyncDispose]())

  /** All say a line, a few times over, and all see all. */
  async function talk(topic: string): Promise<void> {
    for (let n = 0; n < 5; n++) for (const at of EVERYBODY) talkers.say(at, `${topic} ${n}`)
    for (const speaker of ['alice', 'bob', 'carol'])
      for (const { waitFor } of talkers.sessions) await waitFor(`${speaker}: ${topic} 4\n`)
  }

  /** Nothing is lost, nothing is there twice, and all have one order; nobody's session ended. */
  async function expectOneLog(): Promise<void> {
    const stored = await talkers.stored()
    expect(new Set(stored).size).toBe(stored.length)
    for (const at of EVERYBODY) {
      const all = talkers.shown(at)
      expect(all, 'all that was said since the last one came').toEqual(stored)
      expect(talkers.sessions[at]?.child.exitCode).toBeNull()
    }
  }

  test('three servers with different clocks show all lines in one order', async () => {
    await talk('by the clock')
    await expectOneLog()
  })

  test('three servers lose no line while NATS is down or after it is back', async () => {
    await talkers.site.nats?.kill()
    await talk('without NATS')
    await talkers.site.nats?.startAgain()
    await talk('with NATS again')
    await expectOneLog()
  })

  test('a server whose connection to NATS is cut in one or both directions loses no line', async () => {
    const gate = talkers.site.machines[1]?.toNats
    for (const passage of ['shut', 'only-out', 'only-in', 'open'] as const) {
      gate?.set(passage)
      await talk(`NATS ${passage}`)
    }
    await expectOneLog()
  })

  test('a restart of PostgreSQL ends no session and loses no stored line', async () => {
    for (const how of ['immediate', 'fast'] as const) {
      const from = talkers.sessions.map((session) => session.output().length)
      for (const at of EVERYBODY) talkers.say(at, `before (${how})`)
      await talkers.site.stopDatabase(how)
      for (const at of EVERYBODY) talkers.say(at, `while it is down (${how})`)
      // It was refused, or somebody still got it in.
      for (const [at, session] of talkers.sessions.entries())
        await session.waitFor(new RegExp(`^(?:! |\\w+: while it is down)`, 'm'), from[at])
      await talkers.site.startDatabase()
      await talk(`after (${how})`)
    }
    await expectOneLog()
  })

  test('a wrong clock makes no person leave, and people of a killed server leave once', async () => {
    expect(await talkers.left()).toEqual([])
    const { machines } = talkers.site
    await machines[2]?.server.stop('SIGKILL')
    await machines[2]?.start(-HOUR_MS)
    for (const at of [0, 1]) await talkers.sessions[at]?.waitFor('carol left')
    talkers.say(0, 'the two of us')
    await talkers.heard('the two of us', 0, 1)
    expect(await talkers.left()).toEqual(['carol'])
  })
})

test.skipIf(LACKS)(
  'a server with a rejected NATS login starts, warns admins and does not show the password',
  async () => {
    await using nats = await startNats(['--user', 'u', '--pass', 'tops3cret'])
    const env = (database: string, pass: string) => ({
      DATABASE: database,
      BUS: nats.url.replace('//', `//u:${pass}@`),
    })
    await using cluster = await createCluster({
      servers: 1,
      config: LIMITS + BUS,
      env: (_, database) => env(database, 'wr0ng'),
    })
    const [server] = cluster.servers
    await cluster.done(0, 'rhea', `claim ${server!.claimCode}`)
    await using rhea = await cluster.inLobby(0, 'rhea')
    await rhea.waitFor('-- the bus between the servers is down')
    await using bob = await cluster.inLobby(0, 'bob')
    await bob.waitFor('type to speak')
    expect(bob.output()).not.toContain('the bus')
    expect(server!.stderr()).toContain('the bus is down')

    const words = ['check', '--data', server!.dataDir, '--config', `${server!.dataDir}.toml`]
    const wrong = await operator(words, env(cluster.database.url, 'wr0ng'))
    expect(wrong.stdout).toMatch(
      /^warning: bus: NATS cannot be used: .*uthorization.*; a server starts without it/m,
    )
    expect(wrong).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('no problems') })
    const right = await operator(words, env(cluster.database.url, 'tops3cret'))
    expect(right.stdout).not.toContain('bus')
    await nats.kill()
    const away = await operator(words, env(cluster.database.url, 'tops3cret'))
    expect(away.stdout).toMatch(/^warning: bus: NATS cannot be used: /m)
    const shown = [server!.stderr(), wrong.stdout, wrong.stderr, away.stdout, away.stderr].join('\n')
    expect(shown).not.toMatch(/wr0ng|tops3cret/)
  },
)
