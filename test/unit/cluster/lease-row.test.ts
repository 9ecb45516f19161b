import { expect, test } from 'vitest'
import { StorageError } from '../../../src/chat/errors.ts'
import { Lease } from '../../../src/cluster/lease.ts'
import type { ServerFacts, ServerId, ServerStore } from '../../../src/cluster/stores.ts'
import { handClock, memoryLog } from '../../support/chat-parts.ts'

/**
 * A server whose row in a table of servers others may remove, and another one that renews its lease every
 * two seconds and the time of an answer. The database goes by the clock of the test.
 */
function createStage() {
  const clock = handClock()
  const told: string[] = []
  /** How long ago the other server had renewed its lease when it expired, in ms. */
  const expired: number[] = []
  let row: ServerFacts | undefined
  let version = 1
  let isAnswerLost = false
  let answerMs = 0
  let isAway = false
  let otherRenewedAt = 0
  let isOtherAlive = true
  const answered = async <T>(work: () => T): Promise<T> => {
    if (isAway) throw new StorageError('away', 'the database is away')
    const done = work()
    if (answerMs > 0) await new Promise<void>((resolve) => clock.later(answerMs, resolve))
    return done
  }
  const servers: ServerStore = {
    register: (facts) =>
      answered(() => {
        row = facts
        if (!isAnswerLost) return
        isAnswerLost = false
        throw new StorageError('away', 'the answer was lost')
      }),
    async update(facts) {
      if (row) row = facts
      return row !== undefined
    },
    renew: () => answered(() => row !== undefined),
    end: async () => undefined,
    expire: (ms) =>
      answered(() => {
        const age = clock.monotonic() - otherRenewedAt
        if (age > ms) expired.push(age)
        const gone = age > ms ? [{ id: 'other' as ServerId, name: 'other:22' }] : []
        return { servers: gone, left: [], questions: [] }
      }),
    expireOne: async () => ({ servers: [], left: [], questions: [] }),
    alive: async () => [],
  }
  function renewOther(): void {
    if (isOtherAlive && !isAway) otherRenewedAt = clock.monotonic()
    clock.later(2_000 + answerMs, renewOther)
  }
  renewOther()
  const lease = new Lease({
    servers,
    facts: async () => ({ name: 'a:22', version: String(version), config: '' }),
    clock,
    onExpired: async () => undefined,
    onLost: () => void told.push('lost'),
    onRestored: async () => void told.push('restored'),
    onRenewed: () => undefined,
    log: memoryLog(),
  })
  return {
    lease,
    told,
    expired,
    version: () => row?.version,
    loseRow: () => void (row = undefined),
    loseNextAnswer: () => void (isAnswerLost = true),
    changeFacts: () => void version++,
    answersTake: (ms: number) => void (answerMs = ms),
    away: (is: boolean) => void (isAway = is),
    endOther: () => void (isOtherAlive = false),
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
  expect(stage.told).toEqual(['lost', 'restored'])
  expect(stage.version()).toBe('2')
  await stage.pass(20_000)
  expect(stage.told).toEqual(['lost', 'restored'])
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
  expect(stage.told).toEqual(['lost', 'restored'])
})

test.for([0, 50, 1_100, 2_000])(
  'if each answer is %d ms late, a dead server expires, one that is alive does not, and none is lost for it',
  async (ms) => {
    const stage = createStage()
    stage.answersTake(ms)
    await using lease = stage.lease
    const begun = lease.begin()
    await stage.pass(60_000)
    await begun
    expect(stage.expired).toEqual([])
    stage.endOther()
    await stage.pass(14_000)
    expect(stage.expired[0]).toBeGreaterThan(8_000)
    expect(stage.told).toEqual([])
    stage.answersTake(0)
    await stage.pass(3_000)
  },
)

test('after the database was away, other servers have a whole lease to renew theirs', async () => {
  const stage = createStage()
  await using lease = stage.lease
  await lease.begin()
  for (let seconds = 1; seconds <= 30; seconds++) {
    await stage.pass(17_100)
    stage.away(true)
    await stage.pass(seconds * 1_000)
    stage.away(false)
  }
  expect(stage.expired).toEqual([])
})

test('a server that begins lets others renew their leases before it ends them', async () => {
  const stage = createStage()
  stage.endOther()
  await stage.pass(20_000)
  await using lease = stage.lease
  await lease.begin()
  await stage.pass(7_900)
  expect(stage.expired).toEqual([])
  await stage.pass(2_200)
  expect(stage.expired.length).toBeGreaterThan(0)
})
