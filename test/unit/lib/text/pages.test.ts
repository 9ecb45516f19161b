import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitPages } from '../../../../src/lib/text/pages.ts'
import { runs } from '../../../support/runs.ts'
import { anyCharacter } from '../../../support/any-character.ts'

/** What texts are made of that a careless cut would break. */
const piece = fc.oneof(
  fc.constantFrom(
    '\r\n',
    '\n',
    '\t',
    'word ',
    '😀',
    '👨‍👩‍👧‍👦',
    '🇩🇪',
    'e\u0301',
    'n\u0303\u0323\u0331',
    '한',
    '1️⃣',
    '👍🏽',
    '\uD83D',
    '\uDE00',
    '\u200D',
    '}',
    '"',
  ),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.integer({ min: 1, max: 400 }).map((length) => 'x'.repeat(length)),
)

const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))

const insidePair = (before: string, after: string): boolean =>
  /[\uD800-\uDBFF]$/.test(before) && /^[\uDC00-\uDFFF]/.test(after)

describe('pages', () => {
  it('are the text when they are joined, none too long and none empty', () => {
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

  it('never cut a code point in two', () => {
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

  it.each([
    ['a family', `${'x'.repeat(95)}👨‍👩‍👧‍👦${'y'.repeat(95)}`, 95],
    ['a letter and its marks', `${'x'.repeat(98)}e\u0301\u0323\u0331${'y'.repeat(95)}`, 98],
    ['a line end of two', `${'x'.repeat(99)}\r\n${'y'.repeat(95)}`, 99],
  ])('do not part %s', (_what, whole, first) => {
    expect(splitPages(whole, 100)[0]).toHaveLength(first)
  })

  it('end with a line where one ends near, and not far before', () => {
    const lines = 'l'.repeat(39) + '\n'
    expect(splitPages(lines.repeat(10), 100).map((page) => page.length)).toEqual([80, 80, 80, 80, 80])
    expect(splitPages(`\n${'x'.repeat(200)}`, 100)[0]).toHaveLength(100)
  })

  it('are cut inside a character only where it is longer than a page', () => {
    const endless = `e${'\u0301'.repeat(5000)}`
    expect(splitPages(endless, 1000).join('')).toBe(endless)
    const joined = Array.from({ length: 900 }, () => '👩').join('\u200D')
    expect(splitPages(joined, 500).join('')).toBe(joined)
  })

  it('of one endless line of eight million characters are cut in one go', () => {
    const pages = splitPages('x'.repeat(8_000_000), 8000)
    expect(pages).toHaveLength(1000)
  })

  it('of nothing are one page with nothing in it', () => {
    expect(splitPages('', 100)).toEqual([''])
  })
})
