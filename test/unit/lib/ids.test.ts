import { expect, test } from 'vitest'
import { createIds } from '../../../src/lib/ids.ts'

test('ids sort in the order of making although the clock stands still', () => {
  const next = createIds({ now: () => 1_700_000_000_000 })
  const ids = Array.from({ length: 1000 }, next)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(1000)
})

test('ids sort after the last known one although the clock went back', () => {
  const last = createIds({ now: () => 1_700_000_000_000 })()
  const next = createIds({ now: () => 1_600_000_000_000 }, last)
  const ids = [last, next(), next()]
  expect(ids.toSorted()).toEqual(ids)
})

test('ids keep their order when the clock goes back between two of them', () => {
  const times = [5_000, 4_000, 4_500, 6_000]
  const next = createIds({ now: () => times.shift() ?? 0 })
  const ids = [next(), next(), next(), next()]
  expect(ids.toSorted()).toEqual(ids)
})

test('no two ids have the same chance in them, however many are made', () => {
  let now = 0
  const next = createIds({ now: () => (now += 1) })
  const chances = Array.from({ length: 1000 }, () => next().slice(10))
  expect(new Set(chances).size).toBe(1000)
})

test('something that is no ULID is refused as the last id', () => {
  expect(() => createIds({ now: () => 0 }, 'newest')).toThrow('not a ULID: "newest"')
})
