import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ApprovalEntry, Entry, EntryId, RoomName } from '../../../../src/chat/entry.ts'
import { cleanText } from '../../../../src/lib/text/clean-text.ts'
import { mostCells } from '../../../../src/session/drawing/cells.ts'
import { graphemes } from '../../../../src/lib/text/characters.ts'
import { quoteRows } from '../../../../src/session/drawing/spans.ts'
import { renderEntry as render } from '../../../../src/session/drawing/entry-rows.ts'
import { chooseTheme, type DrawingStyle } from '../../../../src/session/drawing/theme.ts'
import { markdown } from '../../../support/markdown-tools.ts'

const renderEntry = (entry: Entry, style: DrawingStyle): string => render(entry, style, markdown.tools())

describe('a quoted line', () => {
  it('goes on behind another mark, with all its blanks', () => {
    expect(quoteRows('ab   cdefgh', 10)).toEqual(['  | ab   c', '  : defgh'])
    expect(quoteRows('', 10)).toEqual(['  | '])
  })

  it('gives a cell to a filler, which looks like nothing and is drawn as a blank', () => {
    expect(quoteRows('\uFFA0 ', 1)).toEqual(['  | \uFFA0', '  :  '])
  })

  it('loses nothing, whatever it holds and however narrow the page is', () => {
    const line = fc.string({ unit: 'grapheme' }).filter((text) => !/[\n\t]/.test(text))
    fc.assert(
      fc.property(line, fc.integer({ min: 1, max: 40 }), (text, width) => {
        const rows = quoteRows(text, width)
        expect(rows.map((row) => row.slice(4)).join('')).toBe(text)
        for (const row of rows) {
          // A row has a cell for text behind its mark, and a character that is wider than the page is alone in it.
          if (graphemes(row.slice(4)).length > 1)
            expect(mostCells(row)).toBeLessThanOrEqual(Math.max(width, 5))
        }
      }),
    )
  })
})

it('a question’s rows cannot pass for words of the room, however the command is padded', () => {
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
