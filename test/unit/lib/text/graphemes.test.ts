import fc from 'fast-check'
import { expect, test } from 'vitest'
import { graphemes, nextBoundary, previousBoundary } from '../../../../src/lib/text/characters.ts'

const units = fc.constantFrom(
  'a',
  'b',
  ' ',
  '1',
  '\n',
  'é',
  'e\u0301',
  '👩‍👩‍👧',
  '1️⃣',
  '🇩🇪',
  '\u0600',
  '한',
  '\u0301',
  '日',
)

test('characters are found where the whole text has them, with ASCII beside marks, joiners and prefixes too', () => {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  fc.assert(
    fc.property(fc.array(units, { maxLength: 30 }), (parts) => {
      const text = parts.join('')
      const segments = Array.from(segmenter.segment(text), ({ segment }) => segment)
      expect(graphemes(text)).toEqual(segments)
      let at = 0
      for (const segment of segments) {
        expect(nextBoundary(text, at)).toBe(at + segment.length)
        at += segment.length
        expect(previousBoundary(text, at)).toBe(at - segment.length)
      }
      expect([previousBoundary(text, 0), nextBoundary(text, text.length)]).toEqual([0, text.length])
    }),
  )
})

test('however long a text is, its characters are those of the whole', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
  const part = fc.constantFrom(
    'a',
    'e\u0301',
    '👍',
    '\u{1f3fb}',
    '👩‍👩‍👧',
    '🇩🇪',
    '🇫',
    '日本',
    '\r\n',
    '\u0301',
    '\ud83c',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 900 }), (parts) => {
      const text = parts.join('')
      expect(graphemes(text)).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment))
    }),
  )
  const long = `a${'\u0301'.repeat(3_000)}b`
  expect(graphemes(long).map(({ length }) => length)).toEqual([3_001, 1])
})
