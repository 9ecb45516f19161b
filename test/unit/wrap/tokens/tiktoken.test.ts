import fc from 'fast-check'
import { get_encoding } from 'tiktoken'
import { afterAll, expect, test } from 'vitest'
import { cutLines, cutLongRuns } from '../../../../src/wrap/tokens/pieces.ts'
import { createMemo } from '../../../../src/wrap/tokens/tiktoken.ts'
import { tokenCounters } from '../../../support/token-counters.ts'
import { runs } from '../../../support/runs.ts'
import { anyCharacter } from '../../../support/any-character.ts'

const reference = get_encoding('o200k_base')
afterAll(() => {
  reference.free()
})

test('the token counts of lines that begin at the margin add up to the count of the text', () => {
  const line = fc
    .string({ maxLength: 20, unit: anyCharacter })
    .map((text) => `- ${text.replace(/[\n\r]/g, '')}\n`)
  fc.assert(
    fc.property(fc.array(line, { maxLength: 10 }), (lines) => {
      const sum = lines.reduce((total, one) => total + reference.encode_ordinary(one).length, 0)
      expect(reference.encode_ordinary(lines.join('')).length).toBe(sum)
    }),
    { numRuns: runs(1000) },
  )
})

test('the pieces of a text join to the whole text', () => {
  const run = fc.tuple(fc.constantFrom('a', ' ', '!', '漢', '😀', '\n'), fc.integer({ min: 1, max: 2000 }))
  const part = fc.oneof(
    fc.string({ maxLength: 30, unit: anyCharacter }),
    run.map(([unit, times]) => unit.repeat(times)),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
      const text = parts.join('')
      expect(cutLines(text).join('')).toBe(text)
      expect(cutLongRuns(text).join('')).toBe(text)
      for (const one of cutLongRuns(text)) expect(one.isWellFormed() || !text.isWellFormed()).toBe(true)
    }),
    { numRuns: runs(500) },
  )
})

test('the pieces of a long run stay at 512 characters or less', () => {
  const pieces = cutLongRuns('a'.repeat(100_000))
  expect(Math.max(...pieces.map((one) => one.length))).toBeLessThanOrEqual(512)
})

test('an unknown token encoding is refused with the names of the known ones', () => {
  expect(() => tokenCounters.of('o200k_bass')).toThrow(
    'there is no token encoding called "o200k_bass"; did you mean o200k_base?',
  )
  expect(() => tokenCounters.of('')).toThrow('there are o200k_base')
})

test('a memo computes once, evicts the least recently used entry and does not store oversized texts', () => {
  const computed: string[] = []
  const length = createMemo(10, (text) => {
    computed.push(text)
    return text.length
  })
  expect([length('aaaa'), length('bbbb'), length('aaaa')]).toEqual([4, 4, 4])
  expect(computed).toEqual(['aaaa', 'bbbb'])
  length('cccc')
  length('aaaa')
  expect(computed).toEqual(['aaaa', 'bbbb', 'cccc'])
  length('bbbb')
  expect(computed).toEqual(['aaaa', 'bbbb', 'cccc', 'bbbb'])
  length('x'.repeat(11))
  length('x'.repeat(11))
  expect(computed.length).toBe(6)
})
