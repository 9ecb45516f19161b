import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test, it } from 'vitest'
import { graphemes } from '../../../../src/base/text/characters.ts'
import { createEmulator, drawnCells } from '../../../support/terminal.ts'
import { wrapText, quoteRows } from '../../../../src/terminal/drawing/spans.ts'
import { runs } from '../../../support/runs.ts'
import { mostCells } from '../../../../src/terminal/drawing/cells.ts'
import type { ApprovalEntry, Entry, EntryId, RoomName } from '../../../../src/words/entry.ts'
import { cleanText } from '../../../../src/base/text/clean-text.ts'
import { renderEntry as render } from '../../../../src/terminal/drawing/entry-rows.ts'
import { chooseTheme, type DrawingStyle } from '../../../../src/terminal/drawing/theme.ts'
import { markdown } from '../../../support/markdown-tools.ts'

test('text is broken at spaces, and every later row is indented', () => {
  expect(wrapText('alice: the quick brown fox', 12, '  ')).toEqual(['alice: the', '  quick', '  brown fox'])
})

test('later lines of a text are indented, so that none can pose as a speaker', () => {
  expect(wrapText('hi\nbob: I agree\n\nend', 40, '  ')).toEqual(['hi', '  bob: I agree', '', '  end'])
})

test('a word longer than a row is broken between characters, never within one', () => {
  expect(wrapText('日本語日本語', 5, '')).toEqual(['日本', '語日', '本語'])
  // Up to six cells each, in terminals that do not join them.
  expect(wrapText('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 12, '')).toEqual(['👩‍👩‍👧👩‍👩‍👧', '👩‍👩‍👧'])
})

test('a long path is broken after its slashes, and within a part only if the part is too long', () => {
  expect(wrapText('src/terminal/drawing/theme.ts', 14, '')).toEqual(['src/terminal/', 'drawing/', 'theme.ts'])
  expect(wrapText('a/an-overlong-part/b', 8, '')).toEqual(['a/an-ove', 'rlong-pa', 'rt/b'])
})

test('the indentation of code is kept', () => {
  expect(wrapText('if:\n    x\n\ty', 40, '  ')).toEqual(['if:', '      x', '      y'])
})

test('wrapped text exceeds no width and loses nothing but spaces', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 30 }), (text, width) => {
      const rows = wrapText(text, width, '  ')
      for (const row of rows)
        expect(stringWidth(row) <= width || graphemes(row.trim()).length === 1).toBe(true)
      expect(rows.join('').replace(/\s/gu, '')).toBe(text.replace(/\s/gu, ''))
    }),
    { numRuns: runs(500) },
  )
})

test('padding with characters of unclear width cannot make a fake speaker begin a row', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('👩‍👩‍👧', '🇩🇪', '👍🏽', '❤️', 'e\u0301', '한', ' ', 'x')),
      async (parts) => {
        const emulator = createEmulator(20, 50)
        await emulator.write(wrapText(`bob: ${parts.join('')} eve: hi`, 19, '  ').join('\r\n'))
        const [first, ...later] = emulator.all()
        expect(first).toMatch(/^bob:/)
        for (const row of later) expect(row).toMatch(/^( {2}|$)/)
      },
    ),
  )
})

test.each([
  ['abc', 3],
  ['e\u0301', 1],
  ['界', 2],
  ['가', 2],
  ['👨\u200D👩\u200D👧', 6],
  ['\u115F', 2],
  ['\u3164', 2],
  ['\uFFA0', 1],
  ['\u07FD', 1],
  ['\u{1DA00}', 1],
])('the text %j takes at most %i cells', (text, cells) => {
  expect(mostCells(text)).toBe(cells)
})

/** Marks, what has no shape of its own, and code points of the first plane that are not given out yet. */
function oddCharacters(): readonly string[] {
  const all = Array.from({ length: 0x110000 }, (_, point) => point)
  return all
    .filter((point) => point < 0xd800 || point > 0xdfff)
    .map((point) => String.fromCodePoint(point))
    .filter((text) => /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]|(?=[\0-\uFFFF])\p{Cn}/u.test(text))
}

test('no unusual character is drawn wider than it is counted', async () => {
  const texts = oddCharacters().map((odd) => `a${odd}b`)
  const drawn = await drawnCells(texts)
  expect(drawn).toHaveLength(texts.length)
  const wider = texts.filter((text, index) => (drawn[index] ?? Infinity) > mostCells(text))
  expect(wider).toEqual([])
  expect(texts.length).toBeGreaterThan(7_000)
})

const renderEntry = (entry: Entry, style: DrawingStyle): string => render(entry, style, markdown.tools())

it('later rows of a quoted line begin with another mark, and all spaces are kept', () => {
  expect(quoteRows('ab   cdefgh', 10)).toEqual(['  | ab   c', '  : defgh'])
  expect(quoteRows('', 10)).toEqual(['  | '])
})

it('a quoted line counts a cell for an invisible filler', () => {
  expect(quoteRows('\uFFA0 ', 1)).toEqual(['  | \uFFA0', '  :  '])
})

it('a quoted line loses nothing at any width', () => {
  const line = fc.string({ unit: 'grapheme' }).filter((text) => !/[\n\t]/.test(text))
  fc.assert(
    fc.property(line, fc.integer({ min: 1, max: 40 }), (text, width) => {
      const rows = quoteRows(text, width)
      expect(rows.map((row) => row.slice(4)).join('')).toBe(text)
      for (const row of rows) {
        // A row has a cell for text behind its mark, and a character that is wider than the page is alone in it.
        if (graphemes(row.slice(4)).length > 1) expect(mostCells(row)).toBeLessThanOrEqual(Math.max(width, 5))
      }
    }),
  )
})

it('a padded command in a question cannot look like the text of the server', () => {
  const padded = `echo a${' '.repeat(70)}alice or an op answers: /allow 9`
  const entry: ApprovalEntry = {
    id: 'e' as EntryId,
    at: 0,
    room: 'lobby' as RoomName,
    kind: 'approval',
    author: 'qwen',
    tool: 'run_command',
    requester: 'alice',
    verdict: 'asked',
    text: `question 1: may alice?\n| ${padded}\n| next\nalice or an op answers: /allow 1`,
  }
  const drawn = renderEntry(entry, { columns: 79, theme: chooseTheme('dumb', {}) })
  const rows = cleanText(drawn).split('\n')
  expect(rows.filter((row) => row.startsWith('  alice'))).toEqual(['  alice or an op answers: /allow 1'])
  expect(rows[0]).toBe('-- qwen: question 1: may alice?')
  const marked = rows.filter((row) => /^ {2}[|:] /.test(row)).map((row) => row.slice(4))
  expect(marked).toHaveLength(3)
  expect(marked.join('')).toBe(`${padded}next`)
})
