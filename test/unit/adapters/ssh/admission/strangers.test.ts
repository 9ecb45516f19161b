import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStrangers, type Strangers } from '../../../../../src/adapters/ssh/admission/strangers.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** What happened, in order: `a served`, `a gone`. */
function scene(limits: { unauthenticated: number; unauthenticated_per_address: number }) {
  const strangers: Strangers = createStrangers(limits, () => Date.now())
  const log: string[] = []
  const enter = (name: string, address: string) =>
    strangers.enter(address, {
      serve: () => void log.push(`${name} served`),
      giveWay: () => void log.push(`${name} gone`),
    })
  return { log, enter }
}

test('more from one address than are served at once wait for each other', () => {
  const { log, enter } = scene({ unauthenticated: 10, unauthenticated_per_address: 2 })
  const leaves = ['a', 'b', 'c', 'd'].map((name) => enter(name, '192.0.2.1'))
  expect(log).toEqual(['a served', 'b served'])
  leaves[1]?.leave()
  leaves[1]?.leave()
  expect(log).toEqual(['a served', 'b served', 'c served'])
})

test('one that takes long gives way to who waits, and to nobody else', () => {
  const { log, enter } = scene({ unauthenticated: 10, unauthenticated_per_address: 1 })
  enter('a', '2001:db8::1')
  vi.advanceTimersByTime(10_000)
  enter('b', '2001:db8::2')
  expect(log).toEqual(['a served', 'b served', 'a gone'])
  enter('c', '2001:db8::3')
  vi.advanceTimersByTime(1_999)
  expect(log).toHaveLength(3)
  vi.advanceTimersByTime(1)
  expect(log.slice(3)).toEqual(['c served', 'b gone'])
})

test('where many wait, one that has not exchanged keys gives way soon, and one that has later', () => {
  const { log, enter } = scene({ unauthenticated: 100, unauthenticated_per_address: 2 })
  enter('honest', '192.0.2.1').keysExchanged()
  for (let number = 0; number < 40; number++) enter(`${number}`, '192.0.2.1')
  const gone = (): readonly string[] => log.filter((line) => line.endsWith('gone'))
  vi.advanceTimersByTime(299)
  expect(gone()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(gone()).toEqual(['0 gone'])
  vi.advanceTimersByTime(399)
  expect(gone()).not.toContain('honest gone')
  vi.advanceTimersByTime(1)
  expect(gone()).toContain('honest gone')
})

test('many that exchange keys and do no more keep nobody out for long; where few wait, each has its time', () => {
  const { log, enter } = scene({ unauthenticated: 300, unauthenticated_per_address: 8 })
  for (let number = 0; number < 200; number++) enter(`${number}`, '192.0.2.1').keysExchanged()
  enter('honest', '192.0.2.1')
  vi.advanceTimersByTime(30_000)
  expect(log).toContain('honest served')
  const calm = scene({ unauthenticated: 300, unauthenticated_per_address: 8 })
  for (let number = 0; number < 9; number++) calm.enter(`${number}`, '192.0.2.1').keysExchanged()
  vi.advanceTimersByTime(1_999)
  expect(calm.log.filter((line) => line.endsWith('gone'))).toEqual([])
})

test('one that left while it waited is never served', () => {
  const { log, enter } = scene({ unauthenticated: 10, unauthenticated_per_address: 1 })
  const first = enter('a', '192.0.2.1')
  enter('b', '192.0.2.1').leave()
  first.leave()
  vi.advanceTimersByTime(10_000)
  expect(log).toEqual(['a served'])
})

test('of too many the oldest from the most crowded network gives way', () => {
  const { log, enter } = scene({ unauthenticated: 4, unauthenticated_per_address: 8 })
  enter('alone', '198.51.100.1')
  enter('one', '192.0.2.1')
  enter('two', '192.0.2.2')
  enter('three', '192.0.2.2')
  enter('honest', '203.0.113.1')
  expect(log.filter((line) => line.endsWith('gone'))).toEqual(['two gone'])
  enter('other', '203.0.113.2')
  enter('last', '203.0.113.3')
  expect(log.filter((line) => line.endsWith('gone'))).toEqual(['two gone', 'one gone', 'honest gone'])
})

test('of too many, those that have keys and do no more give way before whoever was let in this moment', () => {
  const { log, enter } = scene({ unauthenticated: 3, unauthenticated_per_address: 8 })
  for (const name of ['one', 'two', 'three']) enter(name, '192.0.2.1').keysExchanged()
  vi.advanceTimersByTime(2_000)
  const honest = enter('honest', '192.0.2.1')
  expect(log.filter((line) => line.endsWith('gone'))).toEqual(['one gone'])
  vi.advanceTimersByTime(299)
  enter('four', '192.0.2.1')
  honest.keysExchanged()
  vi.advanceTimersByTime(301)
  enter('five', '192.0.2.1')
  expect(log.filter((line) => line.endsWith('gone'))).toEqual(['one gone', 'two gone', 'four gone'])
})
