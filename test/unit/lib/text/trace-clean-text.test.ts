import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanText, traceCleanText } from '../../../../src/lib/text/clean-text.ts'
import { runs } from '../../../support/runs.ts'
import { anyCharacter } from '../../../support/any-character.ts'

const odd = fc.constantFrom(
  ...['a', '\r', '\n', '\r\n', '\u2028', '\u001b[1m', '\u001b]0;', '\u0007', '\u009b', '\u200b', '\u200d'],
  ...[
    '\uFEFF',
    '\f',
    '\u0301',
    '\u0301'.repeat(6),
    '👩',
    '🚀',
    '\uFE0F',
    '\u{E0041}',
    '\uD800',
    'é',
    '1',
    'm',
  ],
)
const text = fc.array(fc.oneof(odd, fc.string({ unit: anyCharacter, maxLength: 3 })), { maxLength: 30 })

describe('tracing a cleaned text', () => {
  it('gives the text that cleaning gives', () => {
    fc.assert(
      fc.property(text, (parts) => {
        expect(traceCleanText(parts.join('')).text).toBe(cleanText(parts.join('')))
      }),
      { numRuns: runs(500) },
    )
  })

  it('finds each unit where it came from, in order and never twice', () => {
    fc.assert(
      fc.property(text, (parts) => {
        const original = parts.join('').toWellFormed()
        const traced = traceCleanText(original)
        let before = 0
        for (let at = 0; at < traced.text.length; at++) {
          const [start, end] = [traced.startOf(at), traced.endOf(at)]
          expect(start).toBeGreaterThanOrEqual(before)
          const piece = original.slice(start, end)
          expect(/^(?:\r\n?|[\u2028\u2029])$/.test(piece) ? '\n' : piece).toBe(traced.text[at])
          before = end
        }
        expect(traced.startOf(traced.text.length)).toBe(original.length)
      }),
      { numRuns: runs(500) },
    )
  })
})
