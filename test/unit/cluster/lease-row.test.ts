import { expect, test } from 'vitest'
import { StorageError } from '../../../src/chat/errors.ts'
import { createLease } from '../../../src/cluster/lease.ts'
import type { Estate, ServerFacts, ServerStore } from '../../../src/cluster/ports.ts'
import type { ServerId } from '../../../src/cluster/server-id.ts'
import { handClock, memoryLog } from '../../support/chat-parts.ts'

const NOTHING: Estate = { servers: [], rooms: [], questions: [] }
const OTHER = 'other' as ServerId

/** A server whose row in a table of servers others may remove, and which sees the beats of one other server. */
function createStage() {
  const clock = handClock()
  const told: string[] = []
  const buried: number[] = []
  let row: ServerFacts | undefined
  let version = 1
  let isAnswerLost = false
  let renewalMs = 0
  let otherBeat = 0
  let otherBeatsUntil = Infinity
  const servers: ServerStore = {
    async begin(facts) {
      row = facts
      if (!isAnswerLost) return
      isAnswerLost = false
      throw new StorageError('away', 'the answer was lost')
    },
    async update(facts) {
      if (row) row = facts
      return row !== undefined
    },
    async renew() {
      clock.advance(renewalMs)
      if (clock.monotonic() <= otherBeatsUntil) otherBeat = clock.monotonic()
      return row !== undefined
    },
    end: async () => undefined,
    beats: async () => new Map([[OTHER, String(otherBeat)]]),
    async bury(silent) {
      if (silent.has(OTHER)) buried.push(clock.monotonic() - otherBeat)
      return NOTHING
    },
    buryOne: async () => NOTHING,
    alive: async () => [],
  }
  const lease = createLease({
    servers,
    facts: async () => ({ name: 'a:22', version: String(version), shared: {} }),
    clock,
    onBuried: async () => undefined,
    onSilent: () => void told.push('silent'),
    onBack: async () => void told.push('back'),
    onRenewed: () => undefined,
    log: memoryLog(),
  })
  return {
    lease,
    told,
    buried,
    now: () => clock.monotonic(),
    version: () => row?.version,
    loseRow: () => void (row = undefined),
    loseNextAnswer: () => void (isAnswerLost = true),
    changeFacts: () => void version++,
    renewalsTake: (ms: number) => void (renewalMs = ms),
    silenceOther: () => void (otherBeatsUntil = clock.monotonic()),
    /** Time passes, and whatever is due is done. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 100) {
        clock.advance(100)
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

test('who is told of new facts after it was taken for dead comes back at once, with these facts', async () => {
  const stage = createStage()
  await using lease = stage.lease
  await lease.begin()
  await stage.pass(3_000)
  stage.loseRow()
  stage.changeFacts()
  await lease.update()
  expect(stage.told).toEqual(['silent', 'back'])
  expect(stage.version()).toBe('2')
  await stage.pass(20_000)
  expect(stage.told).toEqual(['silent', 'back'])
})

test('new facts of a server that is alive are stored, and nothing else happens', async () => {
  const stage = createStage()
  await using lease = stage.lease
  await lease.begin()
  stage.changeFacts()
  await lease.update()
  expect(stage.version()).toBe('2')
  await stage.pass(20_000)
  expect(stage.told).toEqual([])
})

test('a server that has ended does not appear again because its facts change', async () => {
  const stage = createStage()
  await stage.lease.begin()
  await stage.lease[Symbol.asyncDispose]()
  stage.loseRow()
  await stage.lease.update()
  expect(stage.version()).toBe(undefined)
})

test('who comes back and does not hear the answer comes back with the next beat', async () => {
  const stage = createStage()
  await using lease = stage.lease
  await lease.begin()
  await stage.pass(3_000)
  stage.loseRow()
  stage.loseNextAnswer()
  await stage.pass(20_000)
  expect(stage.told).toEqual(['silent', 'back'])
})

test('nobody is buried before it was silent for the whole lease, however long the renewal took before its beat was seen', async () => {
  const stage = createStage()
  await using lease = stage.lease
  await lease.begin()
  await stage.pass(4_500)
  stage.renewalsTake(1_900)
  await stage.pass(2_000)
  stage.renewalsTake(200)
  stage.silenceOther()
  await stage.pass(20_000)
  expect(stage.buried.length).toBeGreaterThan(0)
  expect(Math.min(...stage.buried)).toBeGreaterThanOrEqual(8_000)
})
