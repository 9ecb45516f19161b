import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  costOf,
  exactAmount,
  MAX_PRICE,
  millionths,
  readAmount,
  shownAmount,
} from '../../../src/lib/price.ts'

describe('a price', () => {
  test.each([
    [0, 0],
    [2.5, 2_500_000],
    [0.01875, 18_750],
    [0.000001, 1],
    [MAX_PRICE, 1e15],
    [999_999_999.999999, 999_999_999_999_999],
  ])('of %d per million tokens is kept exactly', (price, whole) => {
    expect(millionths(price)).toBe(whole)
  })

  test.each([0.0000001, 1.2345678, 1 / 3])('of %d has too many digits', (price) => {
    expect(millionths(price)).toBeUndefined()
  })

  test('is exact for as many tokens as there can be', () => {
    const price = { input: 1e15, cached: 1, output: 1e15 - 1 }
    const tokens = { input: 1_000_000_000, cached: 999_999_999, output: 1_000_000_000 }
    expect(costOf(tokens, price)).toBe(
      1_000_000_000_000_000n + 999_999_999n + 999_999_999_999_999_000_000_000n,
    )
    expect(costOf({ input: 3, output: 2 }, { input: 2_500_000, cached: 0, output: 10_000_000 })).toBe(
      27_500_000n,
    )
  })
})

describe('an amount', () => {
  test('is written with all its digits, and read again', () => {
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
  ])('of %s is shown to people as %s', (exact, shown) => {
    expect(shownAmount(readAmount(exact))).toBe(shown)
  })
})
