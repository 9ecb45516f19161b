import type { Stretch } from './inline.ts'

/**
 * The smallest part of a text that is drawn by itself: a paragraph, a line of code, a row of a table. Once it is
 * finished it never changes, whatever comes after it. What it says is read when it is first drawn.
 */
export interface Unit {
  /** An empty row stands above. */
  readonly gap: boolean
  readonly lead: Lead
  readonly body: UnitBody
}

/** What stands before the rows of a unit: the marks of the lists and quotes that it is in. */
export interface Lead {
  readonly first: string
  readonly later: string
}

export type UnitBody =
  | { readonly type: 'text'; readonly isHeading: boolean; readonly read: () => readonly Stretch[] }
  /** One line. */
  | { readonly type: 'code'; readonly read: () => readonly Stretch[] }
  | { readonly type: 'rule' }
  | { readonly type: 'row'; readonly table: Table; readonly cells: readonly Cell[]; readonly isHead: boolean }
  /** Said of what follows, or of what is not ready to be drawn. */
  | { readonly type: 'note'; readonly text: string }

export type Cell = () => readonly Stretch[]

/** What all rows of a table have in common. */
export interface Table {
  readonly aligns: readonly Align[]
  readonly head: readonly Cell[]
  /** The first rows; by them and the head the widths are chosen. */
  readonly sample: readonly (readonly Cell[])[]
}

export type Align = 'left' | 'right' | 'center'
