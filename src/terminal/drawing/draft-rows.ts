import stringWidth from 'string-width'
import { cleanText } from '../../base/text/clean-text.ts'
import { codePointAt, graphemes } from '../../base/text/characters.ts'
import { counted } from '../../base/amounts.ts'
import type { Draft } from '../input/edit-commands.ts'
import { cutToCells } from './cells.ts'

const PROMPT = '> '
const INDENT = '  '
/** UTF-16 units of a long draft that are laid out on each side of the cursor. */
const MAX_UNITS_EACH_SIDE = 1_000
/** The layout begins at a multiple of this, so that its rows do not change while the person types. */
const STEP_UNITS = 500

/** Draws the same draft for the same window only once. */
export function createDraftLayout(): typeof drawDraft {
  let last: { readonly key: string; readonly draft: Draft; readonly drawn: DraftRows } | undefined
  return (draft, columns, maxRows) => {
    const key = `${columns} ${maxRows}`
    if (last?.draft !== draft || last.key !== key)
      last = { key, draft, drawn: drawDraft(draft, columns, maxRows) }
    return last.drawn
  }
}

type DraftRows = ReturnType<typeof drawDraft>

const LEAST_ROWS_WITH_COUNT = 3

/**
 * Returns the rows around the cursor, the index of the cursor's row and the cells before the cursor. If rows
 * are hidden above, the first row says how many.
 */
export function drawDraft(draft: Draft, columns: number, maxRows: number) {
  const { text, cursor, isCut, hidden } = nearCursor(draft, Math.min(MAX_UNITS_EACH_SIDE, maxRows * columns))
  const { prompt = isCut ? INDENT : PROMPT } = draft
  const begun = prompt.length <= INDENT.length ? [prompt] : flow([''], graphemes(prompt), columns)
  const before = flow(begun, graphemes(text.slice(0, cursor)), columns)
  const row = before.length - 1
  const column = cellsOf(before.at(-1) ?? '')
  const rows = flow(before, graphemes(text.slice(cursor)), columns)
  const first = Math.max(0, Math.min(row - Math.floor(maxRows / 2), rows.length - maxRows))
  const shown = rows.slice(first, first + maxRows)
  const above = first + estimateRows(hidden, columns)
  if (above > 0 && maxRows >= LEAST_ROWS_WITH_COUNT && row > first)
    shown[0] = cutToCells(`${INDENT}… ${counted(above + 1, 'row')} above`, columns - 1)
  return { rows: shown, row: row - first, column }
}

function nearCursor({ text, cursor }: Draft, units: number) {
  const begin = Math.floor(Math.max(0, cursor - units) / STEP_UNITS) * STEP_UNITS
  const from = codePointAt(text, begin)
  const to = codePointAt(text, Math.min(text.length, cursor + units))
  return { text: text.slice(from, to), cursor: cursor - from, isCut: from > 0, hidden: text.slice(0, from) }
}

/** Estimates the rows with one cell a character, since laying out all of a long draft takes too long. */
function estimateRows(text: string, columns: number): number {
  const room = Math.max(1, columns - INDENT.length - 1)
  const lines = text.split('\n')
  const begun = lines.pop() ?? ''
  return lines.reduce(
    (sum, { length }) => sum + Math.max(1, Math.ceil(length / room)),
    Math.floor(begun.length / room),
  )
}

/** The cell at the right edge stays free for the cursor. */
function flow(begun: readonly string[], characters: readonly string[], columns: number): string[] {
  const rows = [...begun]
  let row = rows.pop() ?? ''
  let width = cellsOf(row)
  for (const character of characters) {
    const shown = show(character)
    const added = cellsOf(shown)
    if (character === '\n' || width + added >= columns) {
      rows.push(row)
      row = INDENT
      width = INDENT.length
    }
    if (character === '\n') continue
    row += shown
    width += added
  }
  return [...rows, row]
}

const show = (character: string): string => {
  if (isAscii(character)) return character
  return character === '\t' ? ' ' : cleanText(character).replaceAll('\n', ' ')
}

const cellsOf = (text: string): number => (isAscii(text) ? text.length : stringWidth(text))

const isAscii = (text: string): boolean => /^[ -~]*$/.test(text)
