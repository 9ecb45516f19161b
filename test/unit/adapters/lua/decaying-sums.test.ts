import { expect, test } from 'vitest'
import { createDecayingSums } from '../../../../src/adapters/lua/decaying-sums.ts'

function handSums(most?: number) {
  let now = 0
  const sums = createDecayingSums({ halfLifeMs: 1000, ...(most === undefined ? {} : { most }) }, () => now)
  return { ...sums, advance: (ms: number) => void (now += ms) }
}

test('a sum halves with each half-life, also what is added to it later', () => {
  const { add, of, advance } = handSums()
  add('a', 8)
  advance(1000)
  expect(of('a')).toBeCloseTo(4)
  add('a', 4)
  advance(2000)
  expect(of('a')).toBeCloseTo(2)
  expect(of('b')).toBe(0)
})

test('a sum has a highest value, so that it is forgotten within a known time', () => {
  const { add, of, advance } = handSums(16)
  for (let n = 0; n < 1000; n++) add('a', 1)
  expect(of('a')).toBeCloseTo(16)
  advance(6000)
  expect(of('a')).toBeCloseTo(0.25)
})
