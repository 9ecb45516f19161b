import { expect, test } from 'vitest'
import { Quota, takeAll } from '../../../src/lib/quota.ts'

test('a quota gives as many as its limit for each key, and again what was given back', () => {
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
