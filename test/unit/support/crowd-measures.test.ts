import fc from 'fast-check'
import { expect, test } from 'vitest'
import { disordered } from '../../bench/fan-out/order.ts'
import { createTokenReader, tokenText, type Token } from '../../support/load/tokens.ts'

const screen = (name: string, ...lines: number[]) => ({
  name,
  lines: Int32Array.from(lines),
  latencies: Float32Array.from(lines),
  repeated: 0,
})

test('every marked line is found wherever the bytes are split into chunks', () => {
  const token = fc.record({ line: fc.nat(999_999_999), sentUs: fc.nat(2 ** 45) })
  const around = fc.stringMatching(/^[a-z0-9#. \u001b[;m]{0,30}$/).map((text) => ` ${text} `)
  fc.assert(
    fc.property(fc.array(fc.tuple(around, token)), fc.array(fc.nat(40)), (parts, cuts) => {
      const bytes = Buffer.from(
        parts.map(([text, { line, sentUs }]) => text + tokenText(line, sentUs)).join(''),
      )
      const read = createTokenReader()
      const found: Token[] = []
      let from = 0
      for (const cut of [...cuts, bytes.length]) {
        found.push(...read(bytes.subarray(from, from + cut)))
        from += cut
      }
      const marked = parts.map(([, one]) => one)
      expect(
        found.filter((one) => marked.some((other) => other.line === one.line && other.sentUs === one.sentUs)),
      ).toEqual(marked)
    }),
  )
})

test('screens that each lack only their own lines count as ordered', () => {
  expect(disordered([screen('a', 1, 2, 4, 5), screen('b', 0, 2, 3, 5), screen('c', 0, 1, 3, 4)], 3, 0)).toBe(
    0,
  )
})

test('a screen that shows two speakers the other way round is out of order', () => {
  expect(
    disordered(
      [screen('a', 1, 2), screen('b', 0, 2), screen('c', 1, 0), screen('d', 0, 1), screen('e', 2, 1)],
      3,
      0,
    ),
  ).toBeGreaterThan(0)
})

test('a screen that shows a speaker’s later line first is out of order', () => {
  expect(disordered([screen('a', 4, 1), screen('b', 0, 3), screen('c', 0, 1)], 3, 0)).toBeGreaterThan(0)
})
