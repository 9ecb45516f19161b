import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  characterAt,
  characterEnd,
  graphemes,
  headOf,
  nextBoundary,
  previousBoundary,
} from '../../../../src/base/text/characters.ts'
import { splitPages } from '../../../../src/base/text/pages.ts'
import { runs } from '../../../support/runs.ts'
import { anyCharacter } from '../../../support/any-character.ts'

const FAMILY = '👩‍👩‍👧'

test('headOf cuts a text only between grapheme clusters', () => {
  expect(headOf(`ab${FAMILY}c`, 5)).toBe('ab')
  expect(headOf(`ab${FAMILY}c`, 2 + FAMILY.length)).toBe(`ab${FAMILY}`)
  expect(headOf('ae\u0301x', 2)).toBe('a')
  expect(headOf(FAMILY, 1)).toBe('')
  expect(headOf('abc', 0)).toBe('')
  expect(headOf('abc', -1)).toBe('')
})

test('characterAt and characterEnd give the bounds of a grapheme cluster', () => {
  expect(characterAt(`a${FAMILY}b`, 4)).toBe(1)
  expect(characterEnd(`a${FAMILY}b`, 4)).toBe(1 + FAMILY.length)
  expect(characterEnd('ab', 1)).toBe(2)
  expect(characterEnd('', 0)).toBe(0)
})

test('headOf gives a prefix of at most the wanted length that ends at a grapheme cluster', () => {
  const pieces = fc.array(fc.constantFrom('a', FAMILY, 'e\u0301', '🇨🇭', '\r\n', '漢', '\ud800'), {
    maxLength: 30,
  })
  fc.assert(
    fc.property(pieces, fc.nat(80), (parts, units) => {
      const text = parts.join('')
      const head = headOf(text, units)
      expect(text.startsWith(head)).toBe(true)
      expect(head.length).toBeLessThanOrEqual(units)
      expect(characterAt(text, head.length)).toBe(head.length)
    }),
  )
})

const units = fc.constantFrom(...'a|b| |1|\n|é|e\u0301|👩‍👩‍👧|1️⃣|🇩🇪|\u0600|한|\u0301|日'.split('|'))

test('grapheme boundaries agree with Intl.Segmenter if ASCII is mixed with marks and joiners', () => {
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

test('the graphemes of a long text agree with Intl.Segmenter', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
  const part = fc.constantFrom(...'a e\u0301 👍 \u{1f3fb} 👩‍👩‍👧 🇩🇪 🇫 日本 \r\n \u0301 \ud83c'.split(' '))
  fc.assert(
    fc.property(fc.array(part, { maxLength: 900 }), (parts) => {
      const text = parts.join('')
      expect(graphemes(text)).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment))
    }),
  )
  const long = `a${'\u0301'.repeat(3_000)}b`
  expect(graphemes(long).map(({ length }) => length)).toEqual([3_001, 1])
})

/** What texts are made of that a careless cut would break. */
const piece = fc.oneof(
  fc.constantFrom(
    ...'\r\n|\n|\t|word |😀|👨‍👩‍👧‍👦|🇩🇪|e\u0301|n\u0303\u0323\u0331|한|1️⃣|👍🏽|\uD83D|\uDE00|\u200D|}|"'.split('|'),
  ),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.integer({ min: 1, max: 400 }).map((length) => 'x'.repeat(length)),
)

const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))

const insidePair = (before: string, after: string): boolean =>
  /[\uD800-\uDBFF]$/.test(before) && /^[\uDC00-\uDFFF]/.test(after)

test('joined pages give the text, and none is too long or empty', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 300 }), (whole, size) => {
      const pages = splitPages(whole, size)
      expect(pages.join('')).toBe(whole)
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(size)
      if (whole !== '') expect(pages).not.toContain('')
    }),
    { numRuns: runs(1000) },
  )
})

test('pages never split a code point', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 60 }), (whole, size) => {
      const pages = splitPages(whole, size)
      for (const [index, page] of pages.entries()) {
        expect(insidePair(page, pages[index + 1] ?? '')).toBe(false)
      }
    }),
    { numRuns: runs(1000) },
  )
})

test.each([
  ['a family', `${'x'.repeat(95)}👨‍👩‍👧‍👦${'y'.repeat(95)}`, 95],
  ['a letter and its marks', `${'x'.repeat(98)}e\u0301\u0323\u0331${'y'.repeat(95)}`, 98],
  ['a line break of two characters', `${'x'.repeat(99)}\r\n${'y'.repeat(95)}`, 99],
])('pages do not split %s', (_what, whole, first) => {
  expect(splitPages(whole, 100)[0]).toHaveLength(first)
})

test('a page ends with a line if one ends near its limit', () => {
  const lines = 'l'.repeat(39) + '\n'
  expect(splitPages(lines.repeat(10), 100).map((page) => page.length)).toEqual([80, 80, 80, 80, 80])
  expect(splitPages(`\n${'x'.repeat(200)}`, 100)[0]).toHaveLength(100)
})

test('a grapheme cluster longer than a page is split without loss', () => {
  const endless = `e${'\u0301'.repeat(5000)}`
  expect(splitPages(endless, 1000).join('')).toBe(endless)
  const joined = Array.from({ length: 900 }, () => '👩').join('\u200D')
  expect(splitPages(joined, 500).join('')).toBe(joined)
})

test('a line of eight million characters is split into 1,000 pages', () => {
  const pages = splitPages('x'.repeat(8_000_000), 8000)
  expect(pages).toHaveLength(1000)
})

test('an empty text is one empty page', () => {
  expect(splitPages('', 100)).toEqual([''])
})

test('single-unit letters that never combine are split by the Unicode rules', () => {
  const letter = fc.oneof(
    fc.constantFrom(...'aÀ©ёαя“→─〰漢字ひカ한가ｶー、\n'.split('')),
    fc.integer({ min: 0xa1, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  )
  const rules = new Intl.Segmenter('en', { granularity: 'grapheme' })
  fc.assert(
    fc.property(fc.array(letter, { maxLength: 12 }), (letters) => {
      const text = letters.join('')
      expect(graphemes(text)).toEqual(Array.from(rules.segment(text), ({ segment }) => segment))
    }),
    { numRuns: runs(500) },
  )
})
