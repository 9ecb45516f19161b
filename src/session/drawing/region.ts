/** A window, in cells. */
export interface WindowSize {
  readonly columns: number
  readonly rows: number
}

/** The last rows of a terminal, the only ones that are drawn again. */
export interface Region {
  /** Each narrower than the window; may have SGR sequences. */
  readonly rows: readonly string[]
  readonly cursor: { readonly row: number; readonly column: number }
  /** The window for which it is drawn. */
  readonly size: WindowSize
}

export const NO_REGION: Region = { rows: [], cursor: { row: 0, column: 0 }, size: { columns: 0, rows: 0 } }
