import stringWidth from 'string-width'

/** The last rows of a terminal, the only ones that are drawn again. */
export interface Region {
  /** Each narrower than the terminal; may have SGR sequences. */
  readonly rows: readonly string[]
  readonly cursor: { readonly row: number; readonly column: number }
}

export const NO_REGION: Region = { rows: [], cursor: { row: 0, column: 0 } }

/**
 * What to write so that `text` stands above and `next` replaces `drawn`. The terminal scrolls by itself, so
 * what stands above becomes its native scrollback. `columns` is the width now: after a narrowing the
 * terminal has broken the rows that were drawn.
 */
export function redraw(drawn: Region, text: string, next: Region, columns: number): string {
  return eraseRegion(drawn, columns) + withReturns(text) + drawRegion(next)
}

/** Leaves the cursor where the region began, nothing below it. */
function eraseRegion({ rows, cursor }: Region, columns: number): string {
  if (rows.length === 0) return ''
  const above = rows
    .slice(0, cursor.row)
    .reduce((sum, row) => sum + Math.max(1, Math.ceil(stringWidth(row) / columns)), 0)
  const up = above + Math.floor(cursor.column / columns)
  return `\r${up > 0 ? `\u001b[${up}A` : ''}\u001b[J`
}

/** Terminals disagree about the width of some characters; a row that turns out too wide must not become two. */
const WRAP_OFF = '\u001b[?7l'
const WRAP_ON = '\u001b[?7h'

function drawRegion({ rows, cursor }: Region): string {
  if (rows.length === 0) return ''
  const up = rows.length - 1 - cursor.row
  return `${WRAP_OFF}${rows.join('\r\n')}${WRAP_ON}\r${up > 0 ? `\u001b[${up}A` : ''}${cursor.column > 0 ? `\u001b[${cursor.column}C` : ''}`
}

/** A raw terminal needs a carriage return before each line feed; a text that is not empty ends its line. */
const withReturns = (text: string): string => (text === '' ? '' : `${text.replaceAll('\n', '\r\n')}\r\n`)
