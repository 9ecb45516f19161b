import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { graphemes } from '../../../src/session/graphemes.ts'
import { wrapText } from '../../../src/session/wrap-text.ts'

test('text is broken at spaces, and every later row is indented', () => {
  expect(wrapText('alice: the quick brown fox', 12, '  ')).toEqual(['alice: the', '  quick', '  brown fox'])
})

test('later lines of a text are indented, so that none can pose as a speaker', () => {
  expect(wrapText('hi\nbob: I agree\n\nend', 40, '  ')).toEqual(['hi', '  bob: I agree', '', '  end'])
})

test('a word longer than a row is broken between characters, never within one', () => {
  expect(wrapText('日本語日本語', 5, '')).toEqual(['日本', '語日', '本語'])
  expect(wrapText('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 4, '')).toEqual(['👩‍👩‍👧👩‍👩‍👧', '👩‍👩‍👧'])
})

test('the indentation of code is kept', () => {
  expect(wrapText('if:\n    x\n\ty', 40, '  ')).toEqual(['if:', '      x', '      y'])
})

test('no row is wider than asked, and nothing but spaces is lost', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 30 }), (text, width) => {
      const rows = wrapText(text, width, '  ')
      for (const row of rows)
        expect(stringWidth(row) <= width || graphemes(row.trim()).length === 1).toBe(true)
      expect(rows.join('').replace(/\s/gu, '')).toBe(text.replace(/\s/gu, ''))
    }),
    { numRuns: 500 },
  )
})
