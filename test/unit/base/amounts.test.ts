import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  MAX_PRICE,
  costOf,
  exactAmount,
  millionths,
  readAmount,
  shownAmount,
} from '../../../src/base/price.ts'
import { bytes, duration, runningTime } from '../../../src/base/amounts.ts'
import { type Json, stableJson } from '../../../src/base/json.ts'
import { takeWord } from '../../../src/base/text/words.ts'

test.each([
  [0, 0],
  [2.5, 2_500_000],
  [0.01875, 18_750],
  [0.000001, 1],
  [MAX_PRICE, 1e15],
  [999_999_999.999999, 999_999_999_999_999],
])('a price of %d per million tokens is stored exactly', (price, whole) => {
  expect(millionths(price)).toBe(whole)
})

test.each([0.0000001, 1.2345678, 1 / 3])('a price of %d is rejected for too many digits', (price) => {
  expect(millionths(price)).toBeUndefined()
})

test('the cost of the largest prices and token counts is computed exactly', () => {
  const price = { input: 1e15, cached: 1, output: 1e15 - 1 }
  const tokens = { input: 1_000_000_000, cached: 999_999_999, output: 1_000_000_000 }
  expect(costOf(tokens, price)).toBe(1_000_000_000_000_000n + 999_999_999n + 999_999_999_999_999_000_000_000n)
  expect(costOf({ input: 3, output: 2 }, { input: 2_500_000, cached: 0, output: 10_000_000 })).toBe(
    27_500_000n,
  )
})

test('an amount is written with all its digits and read back unchanged', () => {
  expect([0n, 1n, 10n ** 12n, 12_300_000_000n, 120n * 10n ** 12n].map(exactAmount)).toEqual([
    '0',
    '0.000000000001',
    '1',
    '0.0123',
    '120',
  ])
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 30n), (cost) => {
      expect(readAmount(exactAmount(cost))).toBe(cost)
    }),
  )
})

test.each([
  ['0', '0.00'],
  ['0.000000000001', '<0.0001'],
  ['0.00005', '<0.0001'],
  ['0.0001', '0.0001'],
  ['0.00015', '0.0002'],
  ['0.0123', '0.0123'],
  ['1.2', '1.20'],
  ['0.99999', '1.00'],
  ['1234.5678', '1234.5678'],
  ['100', '100.00'],
])('an amount of %s is shown as %s', (exact, shown) => {
  expect(shownAmount(readAmount(exact))).toBe(shown)
})

test.each([
  [0, '0ms'],
  [999, '999ms'],
  [1_000, '1s'],
  [3_240, '3.2s'],
  [59_949, '59.9s'],
  [59_960, '1m'],
  [125_000, '2m 5s'],
  [3_600_000, '1h'],
  [5_400_000, '1h 30m'],
  [90_000_000, '1d 1h'],
])('a duration of %d ms is shown as %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})

test.each([
  [-5, '0.0s'],
  [40, '0.0s'],
  [999, '1.0s'],
  [2_000, '2.0s'],
  [59_949, '59.9s'],
  [59_950, '1m'],
])('a running time of %d ms is shown as %s', (ms, text) => {
  expect(runningTime(ms)).toBe(text)
})

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1280, '1.3 KiB'],
  [10_239, '10 KiB'],
  [1_048_575, '1 MiB'],
  [3 * 1024 ** 3, '3 GiB'],
  [2 ** 60, '1048576 TiB'],
])('a size of %d bytes is shown as %s', (count, text) => {
  expect(bytes(count)).toBe(text)
})

test('takeWord splits off the first word and leaves the rest unchanged', () => {
  expect(takeWord('  say  lobby "a  b" ')).toEqual({ word: 'say', rest: 'lobby "a  b" ' })
  expect(takeWord('{"a": 1}\n next')).toEqual({ word: '{"a":', rest: '1}\n next' })
  expect(takeWord('\twho')).toEqual({ word: 'who', rest: '' })
  expect(takeWord('  ')).toEqual({ word: '', rest: '' })
})

test('stableJson gives JSON of the same value, and the same text in a second pass', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = stableJson(value as Json)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(stableJson(JSON.parse(text) as Json)).toBe(text)
    }),
  )
})

test('stableJson does not depend on the order of keys at any depth', () => {
  expect(stableJson({ b: [{ d: 1, c: 2 }], a: null })).toBe(stableJson({ a: null, b: [{ c: 2, d: 1 }] }))
})

test('stableJson keeps a key called __proto__', () => {
  expect(stableJson(JSON.parse('{"b":1,"__proto__":{"z":1,"y":2}}') as Json)).toBe(
    '{"__proto__":{"y":2,"z":1},"b":1}',
  )
})
