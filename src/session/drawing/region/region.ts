/**
 * region/ brings the last rows of a terminal, the only ones that are drawn again, from one state to the next with few bytes.
 *
 * It must not know what the rows say: it compares them as texts and cells.
 */

/** A window, in cells. */
export interface WindowSize {
  readonly columns: number
  readonly rows: number
}

/** The last rows of a terminal, the only ones that are drawn again. */
export interface Region {
  /** Each narrower than the window; may have SGR sequences. */
  readonly rows: readonly string[]
  /** How many of them, from the top, may become rows above as they are; below them are the status and the draft. */
  readonly live: number
  readonly cursor: { readonly row: number; readonly column: number }
  /** The window for which it is drawn. */
  readonly size: WindowSize
}

export const NO_REGION: Region = {
  rows: [],
  live: 0,
  cursor: { row: 0, column: 0 },
  size: { columns: 0, rows: 0 },
}
