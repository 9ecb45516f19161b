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
  leaves[1]?.()
  leaves[1]?.()
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

test('one that left while it waited is never served', () => {
  const { log, enter } = scene({ unauthenticated: 10, unauthenticated_per_address: 1 })
  const leave = enter('a', '192.0.2.1')
  enter('b', '192.0.2.1')()
  leave()
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
