import type { DrawnText } from '../drawn-text.ts'
import { createPen, type Pen } from './pen.ts'
import type { Region } from './region.ts'

/** On a narrower page a row may be wider than the window. */
const MIN_COLUMNS = 8

/**
 * What to write so that `texts` stand above a region of which only some rows change; undefined where all of it must be
 * drawn anew. They are drawn as the first rows of the region, so that rows of them which stand there already are not
 * written again, and then the region begins below them. Where rows are inserted (IL, ECMA-48 8.3.67), line feeds at the end
 * first make room for them, so that what leaves the window leaves it at the top, into the native scrollback.
 */
export function updateRegion(drawn: Region, texts: readonly DrawnText[], next: Region): string | undefined {
  const text = texts.flatMap((one) => one.text.split('\r\n'))
  const target = { ...next, rows: [...text, ...next.rows], live: text.length + next.live }
  if (!texts.every(({ isSure }) => isSure) || !canUpdate(drawn, target)) return undefined
  const pen = createPen(drawn.cursor)
  const rows = moveRows(pen, drawn, target)
  for (const [row, to] of target.rows.entries()) pen.changeRow(row, rows[row] ?? '', to)
  pen.moveTo(text.length + next.cursor.row, next.cursor.column)
  return pen.written()
}

function canUpdate(drawn: Region, target: Region): boolean {
  const { columns, rows } = target.size
  if (drawn.size.columns !== columns || drawn.size.rows !== rows || columns < MIN_COLUMNS) return false
  if (drawn.rows.length === 0 || Math.max(drawn.rows.length, target.rows.length) > rows) return false
  return drawn.rows.length - drawn.live === target.rows.length - target.live
}

/**
 * Makes the live rows as many as they will be, and puts those that stay where they will be. Gives what stands in the rows
 * of the region then.
 */
function moveRows(pen: Pen, drawn: Region, next: Region): readonly string[] {
  const rows = [...drawn.rows]
  const [before, after] = [rows.slice(0, drawn.live), next.rows.slice(0, next.live)]
  const same = before.findIndex((row, index) => row !== after[index])
  const at = same === -1 ? Math.min(before.length, after.length) : same
  const gone = after[at] === undefined ? 0 : Math.max(0, before.slice(at).indexOf(after[at]))
  if (gone > 0) {
    pen.deleteRows(at, gone)
    rows.splice(at, gone)
  }
  const more = next.rows.length - rows.length
  // Where rows are too many, those go that stand before what stays.
  const end = sameEnd(before, after)
  const to = more > 0 ? Math.max(at, before.length - gone - end) : Math.max(at, after.length - end)
  if (more > 0) {
    pen.insertRows(to, more, rows.length)
    rows.splice(to, 0, ...Array<string>(more).fill(''))
  }
  if (more < 0) {
    pen.deleteRows(to, -more)
    rows.splice(to, -more)
  }
  return rows
}

/** How many rows are the same at the end. */
function sameEnd(before: readonly string[], after: readonly string[]): number {
  const most = Math.min(before.length, after.length)
  let count = 0
  while (count < most && before.at(-1 - count) === after.at(-1 - count)) count++
  return count
}
