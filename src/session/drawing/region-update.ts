import type { DrawnText } from './drawn-text.ts'
import type { Region } from './region.ts'
import { withoutWrap } from './without-wrap.ts'

/** On a narrower page a row may be wider than the window. */
const MIN_COLUMNS = 8

/**
 * What to write so that `above` stands above a region of which only some rows change; undefined where all of it must be
 * drawn anew. The text is put into rows that are inserted above the region (IL, ECMA-48 8.3.67): line feeds at the end
 * first make room for them, so that what leaves the window leaves it at the top, into the native scrollback.
 */
export function updateRegion(drawn: Region, above: DrawnText | undefined, next: Region): string | undefined {
  if (!canUpdate(drawn, above, next)) return undefined
  const pen = createPen(drawn.cursor)
  if (above) pen.insertAbove(above, drawn.rows.length)
  for (const [row, text] of next.rows.entries()) pen.changeRow(row, drawn.rows[row] ?? '', text)
  pen.moveTo(next.cursor.row, next.cursor.column)
  return pen.written()
}

function canUpdate(drawn: Region, above: DrawnText | undefined, next: Region): boolean {
  const { columns, rows } = next.size
  if (drawn.size.columns !== columns || drawn.size.rows !== rows || columns < MIN_COLUMNS) return false
  if (drawn.rows.length !== next.rows.length || next.rows.length === 0) return false
  if (!above) return true
  const isKept = next.rows.some((row, index) => row === drawn.rows[index])
  return isKept && above.isSure && above.rows + next.rows.length <= rows
}

/** Writes while it knows where in the region the cursor is; the column is unknown after text of unsure width. */
function createPen(cursor: Region['cursor']) {
  let { row } = cursor
  let column: number | undefined = cursor.column
  let out = ''

  function moveTo(toRow: number, toColumn: number): void {
    if (toRow !== row) out += toRow > row ? csi(toRow - row, 'B') : csi(row - toRow, 'A')
    if (column !== toColumn) out += moveAlong(column, toColumn)
    row = toRow
    column = toColumn
  }

  function insertAbove({ text, rows }: DrawnText, height: number): void {
    const last = height - 1
    out += `${'\n'.repeat(last - row + rows)}${csi(last + rows, 'A')}${csi(rows, 'L')}\r${text}`
    row = -1
    column = undefined
  }

  function changeRow(at: number, from: string, to: string): void {
    if (from === to) return
    const same = isPlain(from) && isPlain(to) ? sameBeginning(from, to) : 0
    moveTo(at, same)
    if (isPlain(to)) {
      out += to.slice(same) + (isPlain(from) && from.length <= to.length ? '' : ERASE_RIGHT)
      column = to.length
    } else {
      out += ERASE_RIGHT + withoutWrap(to)
      column = undefined
    }
  }

  return { moveTo, insertAbove, changeRow, written: () => out }
}

const csi = (count: number, final: string): string => `\u001b[${count === 1 ? '' : count}${final}`

/** A few backspaces are shorter than a sequence. */
const MAX_BACKSPACES = 3

function moveAlong(from: number | undefined, to: number): string {
  if (to === 0) return '\r'
  if (from === undefined) return `\r${csi(to, 'C')}`
  if (to > from) return csi(to - from, 'C')
  return from - to <= MAX_BACKSPACES ? '\b'.repeat(from - to) : `\r${csi(to, 'C')}`
}

const ERASE_RIGHT = '\u001b[K'

/** Each character takes one cell on every terminal. */
const isPlain = (row: string): boolean => /^[ -~]*$/.test(row)

function sameBeginning(a: string, b: string): number {
  const end = Math.min(a.length, b.length)
  let at = 0
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++
  return at
}
