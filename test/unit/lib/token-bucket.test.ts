import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTokenBucket } from '../../../src/lib/token-bucket.ts'

test('a burst at once, then one each interval, and the burst again after a quiet time', () => {
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

test('never more than the burst and one each interval, however the asking is spread', () => {
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
