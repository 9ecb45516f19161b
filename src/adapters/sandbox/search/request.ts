import type { FileQuery, TextQuery } from '../../../tools/workspace.ts'

/** What one search may take. */
export interface FileSearchLimits {
  /** After this time it ends with what it has. */
  readonly ms: number
  /** Names that are looked at. */
  readonly entries: number
  /** Paths, or lines that match: it ends before it has so many. */
  readonly results: number
}

/** A search, as it is sent to the process that makes it. `root` is a real path. */
export type FileSearchRequest = { readonly root: string; readonly limits: FileSearchLimits } & (
  | { readonly files: FileQuery }
  | { readonly text: TextQuery }
)

/** What it answers: what it found, or why it did not look. */
export type SearchAnswer<Found> = { readonly found: Found } | { readonly refused: string }
