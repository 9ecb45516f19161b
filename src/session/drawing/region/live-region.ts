import stringWidth from 'string-width'
import type { DrawnText } from '../drawn-text.ts'
import type { Region } from './region.ts'
import { updateRegion } from './region-update.ts'
import { withoutWrap } from './without-wrap.ts'

/**
 * What to write so that `texts` stand above, one below the other, and `next` replaces `drawn`; empty if nothing changes. The
 * terminal scrolls by itself, so what stands above becomes its native scrollback. Where it can be done, rows that did not
 * change are not written again.
 */
export function redraw(drawn: Region, texts: readonly DrawnText[], next: Region): string {
  if (drawn === next && texts.length === 0) return ''
  return updateRegion(drawn, texts, next) ?? eraseRegion(drawn, next.size.columns) + drawBelow(texts, next)
}

/**
 * The same where nobody knows for which window the terminal took what was written last, and so how many rows that has: what
 * stands above the cursor stays, because it could be something that stands nowhere else.
 */
export const redrawUnsure = (texts: readonly DrawnText[], next: Region): string =>
  eraseFrom(0) + drawBelow(texts, next)

const drawBelow = (texts: readonly DrawnText[], next: Region): string =>
  texts.map(({ text }) => `${text}\r\n`).join('') + drawRegion(next)

/** Leaves the cursor where the region began, nothing below it. After a narrowing the terminal has broken rows. */
function eraseRegion({ rows, cursor, size }: Region, columns: number): string {
  if (rows.length === 0) return ''
  if (size.columns === columns) return eraseFrom(cursor.row)
  const above = rows.slice(0, cursor.row).reduce((sum, row) => sum + brokenRows(row, columns), 0)
  // Terminals differ in where the cursor is behind a full row. A row too few is a trace, one too many a loss.
  if (cursor.column <= columns) return eraseFrom(above)
  // Most terminals break the row of the cursor, too. xterm.js cuts it, with the cursor in its last cell: only
  // there do two spaces wrap, so the cursor is in a second row in both. A row broken twice leaves a trace.
  return `  ${eraseFrom(above + 1)}`
}

const brokenRows = (row: string, columns: number): number =>
  Math.max(1, Math.ceil(stringWidth(row) / columns))

const eraseFrom = (up: number): string => `\r${up > 0 ? `\u001b[${up}A` : ''}\u001b[J`

function drawRegion({ rows, cursor }: Region): string {
  if (rows.length === 0) return ''
  const up = rows.length - 1 - cursor.row
  return `${withoutWrap(rows.join('\r\n'))}\r${up > 0 ? `\u001b[${up}A` : ''}${cursor.column > 0 ? `\u001b[${cursor.column}C` : ''}`
}
