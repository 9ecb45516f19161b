import stringWidth from 'string-width'
import type { DrawnText } from './drawn-text.ts'
import { updateRegion, disableAutowrap, type Region } from './region-diff.ts'

export const NO_REGION: Region = {
  rows: [],
  live: 0,
  cursor: { row: 0, column: 0 },
  size: { columns: 0, rows: 0 },
}

interface Change {
  readonly drawn: Region
  readonly texts: readonly DrawnText[]
  readonly next: Region
  readonly written: string
}

/** Caches the last change for each first text (`texts[0]`), until that text is garbage-collected. */
const changes = new WeakMap<object, Change>()
const NO_TEXT = {}

/** Like `writeChange`, but once for consecutive screens with the same change: most in a room are the same. */
export function paintRegion(drawn: Region, texts: readonly DrawnText[], next: Region): string {
  const key = texts[0] ?? NO_TEXT
  const last = changes.get(key)
  if (last && isSame(last.drawn, drawn) && isSame(last.next, next) && areEqual(last.texts, texts))
    return last.written
  const written = writeChange(drawn, texts, next)
  changes.set(key, { drawn, texts, next, written })
  return written
}

const isSame = (one: Region, other: Region): boolean =>
  one === other ||
  (one.live === other.live &&
    one.cursor.row === other.cursor.row &&
    one.cursor.column === other.cursor.column &&
    one.size.columns === other.size.columns &&
    one.size.rows === other.size.rows &&
    areEqual(one.rows, other.rows))

const areEqual = <T>(some: readonly T[], others: readonly T[]): boolean =>
  some.length === others.length && some.every((one, index) => one === others[index])

/** Returns what to write so that `texts` scroll away above and `next` replaces `drawn`. */
export function writeChange(drawn: Region, texts: readonly DrawnText[], next: Region): string {
  if (drawn === next && texts.length === 0) return ''
  return updateRegion(drawn, texts, next) ?? eraseRegion(drawn, next.size.columns) + drawBelow(texts, next)
}

/**
 * Does the same as `writeChange` if the terminal may have become narrower before the last writes. Each row of
 * the region has at least one row there, so that number of rows is erased above the cursor. `isSettled`: none
 * of those writes was for another size, so that the terminal has wrapped the status line, too.
 */
export function paintUnsureRegion(
  drawn: Region,
  texts: readonly DrawnText[],
  next: Region,
  isSettled: boolean,
): string {
  const { rows, live, cursor } = drawn
  const status = cursor.row > live && isSettled ? rows[live] : undefined
  const wrapped = status === undefined ? 0 : brokenRows(status, next.size.columns) - 1
  return eraseFrom(cursor.row + wrapped) + drawBelow(texts, next)
}

const drawBelow = (texts: readonly DrawnText[], next: Region): string =>
  texts.map(({ text }) => `${text}\r\n`).join('') + drawRegion(next)

/** Erases the region. A terminal that became narrower has wrapped rows. */
function eraseRegion({ rows, cursor, size }: Region, columns: number): string {
  if (rows.length === 0) return ''
  if (size.columns === columns) return eraseFrom(cursor.row)
  const above = rows.slice(0, cursor.row).reduce((sum, row) => sum + brokenRows(row, columns), 0)
  // Terminals differ in the place of the cursor after a full row. Erasing one row too few leaves a trace;
  // erasing one too many loses text.
  if (cursor.column <= columns) return eraseFrom(above)
  // Most terminals wrap the row of the cursor, too. xterm.js cuts the row and leaves the cursor in its last
  // cell, where two spaces wrap, so that the cursor is in a second row in both cases. A row that wraps twice
  // leaves a trace.
  return `  ${eraseFrom(above + 1)}`
}

const brokenRows = (row: string, columns: number): number =>
  Math.max(1, Math.ceil(stringWidth(row) / columns))

const eraseFrom = (up: number): string => `\r${up > 0 ? `\u001b[${up}A` : ''}\u001b[J`

function drawRegion({ rows, cursor }: Region): string {
  if (rows.length === 0) return ''
  const up = rows.length - 1 - cursor.row
  return `${disableAutowrap(rows.join('\r\n'))}\r${up > 0 ? `\u001b[${up}A` : ''}${cursor.column > 0 ? `\u001b[${cursor.column}C` : ''}`
}
