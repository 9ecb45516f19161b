import stringWidth from 'string-width'
import { cleanText } from '../lib/clean-text.ts'
import { graphemes, onCodePoint } from './graphemes.ts'
import type { Draft } from './line-editor.ts'

/** A draft as it is drawn, and where its cursor is in it. */
export interface DraftRows {
  readonly rows: readonly string[]
  /** Index into `rows`. */
  readonly row: number
  /** Cells before the cursor in that row. */
  readonly column: number
}

const PROMPT = '> '
const INDENT = '  '
/** Of a long draft, so many UTF-16 units on each side of the cursor are looked at. */
const MAX_UNITS_EACH_SIDE = 2_000

/** Draws the part of a draft around its cursor, at most `maxRows` rows of less than `columns` cells. */
export function drawDraft(draft: Draft, columns: number, maxRows: number): DraftRows {
  const { text, cursor } = nearCursor(draft)
  const before = flow([PROMPT], graphemes(text.slice(0, cursor)), columns)
  const row = before.length - 1
  const column = stringWidth(before.at(-1) ?? '')
  const rows = flow(before, graphemes(text.slice(cursor)), columns)
  const first = Math.max(0, Math.min(row - Math.floor(maxRows / 2), rows.length - maxRows))
  return { rows: rows.slice(first, first + maxRows), row: row - first, column }
}

function nearCursor({ text, cursor }: Draft): Draft {
  const from = onCodePoint(text, Math.max(0, cursor - MAX_UNITS_EACH_SIDE))
  const to = onCodePoint(text, Math.min(text.length, cursor + MAX_UNITS_EACH_SIDE))
  return { text: text.slice(from, to), cursor: cursor - from }
}

/** Adds characters to the last row, and rows as they fill; the cell at the right edge stays free for the cursor. */
function flow(begun: readonly string[], characters: readonly string[], columns: number): string[] {
  const rows = [...begun]
  let width = stringWidth(rows.at(-1) ?? '')
  for (const character of characters) {
    const shown = show(character)
    const added = stringWidth(shown)
    if (character === '\n' || width + added >= columns) {
      rows.push(INDENT)
      width = INDENT.length
    }
    if (character === '\n') continue
    rows[rows.length - 1] += shown
    width += added
  }
  return rows
}

const show = (character: string): string =>
  character === '\t' ? ' ' : cleanText(character).replaceAll('\n', ' ')
