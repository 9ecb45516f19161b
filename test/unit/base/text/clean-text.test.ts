import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanLine, cleanText, isBlank, traceCleanText } from '../../../../src/base/text/clean-text.ts'
import { visibleText } from '../../../../src/base/text/visible-text.ts'
import { runs } from '../../../support/runs.ts'
import { anyCharacter } from '../../../support/any-character.ts'

const oneOf = (words: string) => fc.constantFrom(...words.split(' '))

/** Text made of what hurts: controls, introducers, joiners, marks, tags, halves of pairs. */
const hostile = fc
  .array(
    fc.oneof(
      oneOf('\u001b [ ] 0; m \u0007 \u001b\\ \u009b \u009d \u009c P O'),
      oneOf('\r \n \t \0 \u007f \u0085 \u2028 \u200b \u200d \ufe0f \u202e'),
      oneOf('👩 🚀 🏽 🏴 ❤ 1 \u20e3 \u0301 \u034f \ud83d \ude00 a 漢'),
      oneOf('\u{e0067} \u{e0062} \u{e007f} \u{e0100} \u3164 \ufeff 🏴󠁧󠁢󠁳󠁣󠁴󠁿 \u2066'),
      fc.constant(' '),
      fc.string({ unit: anyCharacter, maxLength: 3 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))

test.each([
  ['plain text\twith tabs\nand lines', 'plain text\twith tabs\nand lines'],
  ['Ünïcödé, 漢字, עברית, हिन्दी', 'Ünïcödé, 漢字, עברית, हिन्दी'],
  ['a\r\nb\rc\u2028d\u2029e', 'a\nb\nc\nd\ne'],
  ['\u001b[1;31mred\u001b[0m', 'red'],
  ['\u009b31mred', 'red'],
  ['\u001b]0;title\u0007x', 'x'],
  ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['\u009d0;title\u009cx', 'x'],
  ['\u001bP1$r0m\u001b\\x\u001b_hidden\u001b\\y\u001b^p\u001b\\z', 'xyz'],
  ['\u001bcreset\u001b(Bset\u001bOAup', 'resetsetup'],
  ['never ended \u001b]0;title', 'never ended 0;title'],
  ['never ended \u001b[31', 'never ended '],
  ['\u001b\u001b[0m[31mx', '[31mx'],
  ['a\0b\u0008c\u007fd\u0085e', 'abcde'],
  ['\u202eevil\u202c \u2066x\u2069 \u200fy', 'evil x y'],
  ['zero\u200bwidth\u2060 \ufeffsoft\u00ad', 'zerowidth soft'],
  ['hidden\u{e0068}\u{e0069}', 'hidden'],
  ['a\ufe0f\u{e0100}b', 'ab'],
  ['1\u200d👍 👍\u200d1', '1👍 👍1'],
  ['z\u0301\u0302\u0303\u0304\u0305\u0306', 'z\u0301\u0302\u0303\u0304'],
  ['\ud800x\udc00', '\ufffdx\ufffd'],
  ['', ''],
])('cleanText turns %j into %j', (dirty, clean) => {
  expect(cleanText(dirty)).toBe(clean)
})

test.each(['👩‍🚀', '❤️‍🔥', '👍🏽', '🏳️‍🌈', '👨‍👩‍👧‍👦', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣', '☎︎', '🇩🇪', '👩🏽‍❤️‍💋‍👨🏿'])(
  'cleanText keeps the emoji %s',
  (emoji) => {
    expect(cleanText(`x${emoji}y`)).toBe(`x${emoji}y`)
  },
)

test('cleanText leaves no control, hidden or stacked characters in any text', () => {
  const forbidden =
    /(?![\n\t])\p{Cc}|[\u2028-\u202e\u2066-\u2069\u200b\u200c\u200e\u200f\u061c\ufeff]|[\p{Mn}\p{Me}]{5}/u
  fc.assert(
    fc.property(hostile, (text) => {
      const clean = cleanText(text)
      expect(clean).not.toMatch(forbidden)
      expect(clean.isWellFormed()).toBe(true)
    }),
    { numRuns: runs(2000) },
  )
})

test('cleanText keeps a joiner only between two emoji', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const outside = cleanText(text).replace(
        /(?<=\p{Extended_Pictographic}[\ufe0e\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})/gu,
        '',
      )
      expect(outside).not.toContain('\u200d')
    }),
    { numRuns: runs(2000) },
  )
})

test('cleanText removes a variation selector after a skin tone', () => {
  expect(cleanText('👩\u{E0067}🏽\uFE0F')).toBe('👩🏽')
})

test('cleanText gives the same for a text as for its lines', () => {
  fc.assert(
    fc.property(fc.array(hostile), (parts) => {
      const lines = parts.flatMap((part) => part.split('\n')).map((line) => `${line}\n`)
      expect(cleanText(lines.join(''))).toBe(lines.map(cleanText).join(''))
    }),
    { numRuns: runs(2000) },
  )
})

test('cleanText changes nothing when it is applied again', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(cleanText(cleanText(text))).toBe(cleanText(text))
    }),
    { numRuns: runs(5000) },
  )
})

test.each([
  ['openings', '\u001b]'],
  ['8-bit openings', '\u009d'],
  ['parameters', '\u001b[1;1;1;'],
  ['marks', '\u0301'],
  ['joined emoji', '👩\u200d'],
  ['half flags', '🏴\u{e0067}\u{e0062}'],
  ['escapes with intermediates', '\u001b    '],
])('cleanText does not lengthen a megabyte of %s', (_what, unit) => {
  expect(cleanText(unit.repeat(1_000_000 / unit.length)).length).toBeLessThanOrEqual(1_000_000)
})

test('cleanLine puts everything on one line', () => {
  expect(cleanLine(' a\r\n\n b\tc \u001b[0m')).toBe('a  b c')
})

test.each(['', ' \n\t', '\u3164', '\u2800 \u200b', '\u00a0\u3000', '\u0301', '\u{e0061}'])(
  'isBlank is true for %j',
  (text) => {
    expect(isBlank(text)).toBe(true)
  },
)
test.each(['x', '.', '👍', ' \u200b漢', '\ufffd'])('isBlank is false for %j', (text) => {
  expect(isBlank(text)).toBe(false)
})

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

test('traceCleanText gives the same text as cleanText', () => {
  fc.assert(
    fc.property(text, (parts) => {
      expect(traceCleanText(parts.join('')).text).toBe(cleanText(parts.join('')))
    }),
    { numRuns: runs(500) },
  )
})

test('traceCleanText maps every unit to its origin, in order and without overlaps', () => {
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

test.each([
  ['plain text\n\twith a tab', 'plain text\n\twith a tab'],
  ['größe 漢字 👩‍🚀', 'größe 漢字 👩‍🚀'],
  ['rm\u200b -rf', 'rm\\u{200b} -rf'],
  ['a\u202eb', 'a\\u{202e}b'],
  ['rm\u2800x\u3164', 'rm\\u{2800}x\\u{3164}'],
  ['\u001b[2Kls', '\\u{1b}[2Kls'],
  ['a\rb', 'a\\u{d}b'],
  ['a\ud800b', 'a\\u{d800}b'],
  [`x${'\u0301'.repeat(6)}`, `x${'\\u{301}'.repeat(6)}`],
])('visibleText shows %j as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown)
})

test('visibleText survives cleanText and shows characters that cleanText would remove', () => {
  const odd = fc.constantFrom('\u200b', '\u202e', '\u001b', '\r', '\u0301', '\ud800', '\u{e0041}', '\u00ad')
  const texts = fc
    .array(fc.oneof(odd, fc.string({ unit: anyCharacter, maxLength: 6 })))
    .map((all) => all.join(''))
  fc.assert(
    fc.property(texts, (text) => {
      const shown = visibleText(text)
      expect(cleanText(shown)).toBe(shown)
      if (cleanText(text) !== text) expect(shown).not.toBe(cleanText(text))
    }),
  )
})
