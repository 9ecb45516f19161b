import { expect, test } from 'vitest'
import fc from 'fast-check'
import { Quota, takeAll } from '../../../src/base/quota.ts'
import { createTokenBucket } from '../../../src/base/token-bucket.ts'

test('a quota grants up to its limit for each key, and again after a release', () => {
  const quota = new Quota(() => 2)
  const first = quota.take('a')
  expect([first, quota.take('a'), quota.take('a'), quota.take('b')].map(Boolean)).toEqual([
    true,
    true,
    false,
    true,
  ])
  first!()
  first!()
  expect([quota.take('a'), quota.take('a')].map(Boolean)).toEqual([true, false])
})

test('takeAll takes from every quota or from none', () => {
  const [wide, narrow] = [new Quota(() => 2), new Quota(() => 1)]
  const wanted = [
    [wide, ''],
    [narrow, ''],
  ] as const
  const release = takeAll(...wanted)
  expect(takeAll(...wanted)).toBeUndefined()
  expect(wide.take('')).toBeDefined()
  release!()
  expect(takeAll(...wanted)).toBeDefined()
})

test('a token bucket allows a burst, then one per interval, and a burst again after a pause', () => {
  let now = 5_000
  const take = createTokenBucket({ burst: 3, everyMs: 100 }, () => now)
  const takes = (count: number) => Array.from({ length: count }, () => take())
  expect(takes(5)).toEqual([true, true, true, false, false])
  now += 99
  expect(take()).toBe(false)
  now += 1
  expect(takes(2)).toEqual([true, false])
  now += 1_000
  expect(takes(4)).toEqual([true, true, true, false])
})

test('a token bucket never allows more than the burst plus one per interval', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(300), { maxLength: 300 }), (pauses) => {
      let now = 0
      const take = createTokenBucket({ burst: 4, everyMs: 100 }, () => now)
      const taken: number[] = []
      for (const pause of pauses) {
        now += pause
        if (take()) taken.push(now)
      }
      for (const [i, at] of taken.entries()) {
        const after = taken.slice(i).filter((one) => one <= at + 1_000)
        expect(after.length).toBeLessThanOrEqual(4 + 10)
      }
    }),
  )
})
