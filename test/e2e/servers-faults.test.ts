import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTalkers, type Talkers } from '../support/faults/talkers.ts'
import { lacks } from '../support/needs.ts'

const HOUR_MS = 3_600_000

const EVERYBODY = [0, 1, 2]

describe.skipIf(lacks('postgres') || lacks('nats'))(
  'three servers of which the third has a clock that is an hour ahead',
  () => {
    let talkers: Talkers
    beforeAll(async () => {
      talkers = await createTalkers({ servers: 3, bus: 'nats', clocksOffMs: [0, 0, HOUR_MS] })
    }, 60_000)
    afterAll(async () => await talkers[Symbol.asyncDispose]())

    /** All say a line, a few times over, and all see all. */
    async function talk(topic: string): Promise<void> {
      for (let n = 0; n < 5; n++) for (const at of EVERYBODY) talkers.say(at, `${topic} ${n}`)
      await talked(topic)
    }

    async function talked(topic: string): Promise<void> {
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

    test('all see one order', async () => {
      await talk('by the clock')
      await expectOneLog()
    })

    test('without NATS they go on, and so they do when it is back', async () => {
      await talkers.site.nats?.kill()
      await talk('without NATS')
      await talkers.site.nats?.startAgain()
      await talk('with NATS again')
      await expectOneLog()
    })

    test('one that is cut off from NATS goes on, whichever way is cut', async () => {
      const gate = talkers.site.machines[1]?.toNats
      for (const passage of ['shut', 'only-out', 'only-in', 'open'] as const) {
        gate?.set(passage)
        await talk(`NATS ${passage}`)
      }
      await expectOneLog()
    })

    test('a restart of PostgreSQL ends no session, and what was acknowledged is there', async () => {
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

    test('nobody is taken for gone by a wrong clock, and who goes has left once', async () => {
      expect(await talkers.left()).toEqual([])
      const { machines } = talkers.site
      await machines[2]?.server.stop('SIGKILL')
      await machines[2]?.start(-HOUR_MS)
      for (const at of [0, 1]) await talkers.sessions[at]?.waitFor('carol left')
      talkers.say(0, 'the two of us')
      await talkers.heard('the two of us', 0, 1)
      expect(await talkers.left()).toEqual(['carol'])
    })
  },
)
