import { expect, test } from 'vitest'
import { createRateLimiter, createByteQuota } from '../../../src/chat/limits.ts'
import type { Fingerprint, PersonId } from '../../../src/words/person.ts'
import { pause } from '../../../src/server/process-timers.ts'
import { handClock } from '../../support/chat-parts.ts'

const here = new AbortController().signal
const alice = { id: 'alice' as PersonId }

function pace() {
  const clock = handClock()
  const waits: number[] = []
  const wait = async (ms: number) => void waits.push(ms)
  return { clock, waits, pace: createRateLimiter({ limits: { rate_burst: 8, rate_per_s: 2 }, clock, wait }) }
}

test('a burst is not delayed, the next commands are delayed, and further ones are refused', async () => {
  const { pace: keep, waits } = pace()
  for (let i = 0; i < 8; i++) await keep.next(alice, here)
  expect(waits).toEqual([])
  for (let i = 0; i < 10; i++) await keep.next(alice, here)
  expect(waits).toEqual([500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000])
  await expect(keep.next(alice, here)).rejects.toThrow('too fast')
})

test('a refused command does not count against the rate limit', async () => {
  const { pace: keep, clock } = pace()
  for (let i = 0; i < 18; i++) await keep.next(alice, here)
  for (let i = 0; i < 50; i++) await expect(keep.next(alice, here)).rejects.toThrow('too fast')
  clock.advance(500)
  await keep.next(alice, here)
})

test('commands of one person at a high rate do not slow another person down', async () => {
  const { pace: keep, waits } = pace()
  for (let i = 0; i < 8; i++) await keep.next(alice, here)
  await keep.next({ id: 'bob' as PersonId }, here)
  expect(waits).toEqual([])
})

test('all names of a key share one rate limit, and a network has the limit of 64 people', async () => {
  const { pace: keep, waits } = pace()
  const person = (id: string, key: string, network: string) => ({
    id: id as PersonId,
    login: { key: key as Fingerprint, network },
  })
  for (let i = 0; i < 8; i++) await keep.next(person(`name ${i}`, 'one key', '192.0.2.1'), here)
  await keep.next(person('another name', 'one key', '192.0.2.2'), here)
  expect(waits).toEqual([500])
  for (let i = 0; i < 504; i++) await keep.next(person(`p${i}`, `key ${i}`, '192.0.2.1'), here)
  expect(waits).toEqual([500])
  await keep.next(person('last', 'last key', '192.0.2.1'), here)
  expect(waits).toEqual([500, 7.8125])
})

test('a clock that is set back does not slow anybody down', async () => {
  const { pace: keep, clock, waits } = pace()
  for (let i = 0; i < 8; i++) await keep.next(alice, here)
  clock.step(-3_600_000)
  clock.advance(60_000)
  for (let i = 0; i < 8; i++) await keep.next(alice, here)
  expect(waits).toEqual([])
})

test('a delayed command stops waiting when its client disconnects', async () => {
  const limits = { rate_burst: 1, rate_per_s: 0.25 }
  const keep = createRateLimiter({ limits, clock: handClock(), wait: pause })
  const gone = new AbortController()
  await keep.next(alice, gone.signal)
  const waiting = keep.next(alice, gone.signal)
  gone.abort()
  await waiting
})

const DAY_MS = 86_400_000

const personOf = (id: string, key = `key of ${id}`, network = '192.0.2.1') => ({
  id: id as PersonId,
  login: { key: key as Fingerprint, network },
})

test('the byte quota of a day can be used at once and refills over a day', () => {
  const clock = handClock()
  const quota = createByteQuota({ bytes_per_person_day: 1_000 }, clock)
  const alice = personOf('alice')
  quota.take(alice, 1_000)
  expect(() => quota.take(alice, 100)).toThrow(
    '(bytes_per_person_day, 1000); send less, or try again in 2h 24m',
  )
  clock.advance(DAY_MS / 10)
  quota.take(alice, 100)
  expect(() => quota.take(alice, 1)).toThrow('bytes_per_person_day')
})

test('all names of a key share one byte quota, and a network has that of 64 people', () => {
  const quota = createByteQuota({ bytes_per_person_day: 1_000 }, handClock())
  quota.take(personOf('alice', 'same'), 600)
  expect(() => quota.take(personOf('bob', 'same'), 600)).toThrow('bytes_per_person_day')
  for (let number = 0; number < 63; number++) quota.take(personOf(`p${number}`), 1_000)
  expect(() => quota.take(personOf('last'), 600)).toThrow('bytes_per_person_day')
  quota.take(personOf('elsewhere', 'other', '192.0.2.2'), 600)
})

test('a request that may use only part of the byte quota leaves the rest for other requests', () => {
  const quota = createByteQuota({ bytes_per_person_day: 1_000 }, handClock())
  const alice = personOf('alice')
  quota.take(alice, 800, 7 / 8)
  expect(() => quota.take(alice, 100, 7 / 8)).toThrow('bytes_per_person_day')
  quota.take(alice, 200)
})

test('a byte quota of 0 is no limit', () => {
  createByteQuota({ bytes_per_person_day: 0 }, handClock()).take(personOf('alice'), 10 ** 12)
})
