// What the tables hold, on every engine, and what the core makes of it. This folder must not know which engine it is: no SQL and no
// driver.

import { type Entry, isEntryKind } from '../../../chat/entry.ts'
import type { LogQuery } from '../../../chat/ports.ts'
import type { HistoryRow } from '../../../prompt/snapshot.ts'

/** A row of `entries`: what all kinds have in columns, the rest as JSON. */
export interface EntryRow extends Pick<Entry, 'id' | 'room' | 'at' | 'kind' | 'author' | 'text'> {
  readonly data: string
  /** The entry that the text is of, where a query asked for last versions; null where nobody edited it. */
  readonly edited?: string | null
}

/** A row with what its text costs in the encoding that was asked for, null where nobody has counted it. */
export interface CountedRow extends EntryRow {
  readonly tokens: number | null
}

/** What to read, as `LogQuery` says; without an encoding the `tokens` of every row are null. */
export interface EntryQuery extends LogQuery {
  readonly room: Entry['room']
  readonly encoding?: string
}

/**
 * The entry of a row: as it was appended, or with its last version's text and id where the query asked for that. What another version
 * of the program recorded, which this one does not know, is a notice with its text.
 */
export function toEntry({ id, room, at, kind, author, text, data, edited }: EntryRow): Entry {
  if (!isEntryKind(kind)) return { id, room, at, kind: 'notice', level: 'info', author, text }
  // Hundreds of rows are read for every prompt, and most have nothing in it.
  const rest: object = data === '{}' ? {} : JSON.parse(data)
  const version = edited == null ? {} : { edited }
  return { ...rest, ...version, id, room, at, kind, author, text } as Entry
}

/** The row of an entry. */
export function toRow({ id, room, at, kind, author, text, ...rest }: Entry): EntryRow {
  return { id, room, at, kind, author, text, data: JSON.stringify(rest) }
}

/** A row with what it costs. */
export const toHistoryRow = (row: CountedRow): HistoryRow =>
  row.tokens === null ? { entry: toEntry(row) } : { entry: toEntry(row), tokens: row.tokens }

/** Rows as a query gives them: the newest come newest first. */
export const inTimeOrder = <Row>(rows: Row[], { oldestFirst }: LogQuery): readonly Row[] =>
  oldestFirst ? rows : rows.toReversed()

/** As many as were asked for, in a number that every engine takes. */
export const limitOf = ({ limit }: LogQuery): number =>
  Math.max(0, Math.min(Math.floor(limit), Number.MAX_SAFE_INTEGER))

/** No kinds at all is a query too: it matches nothing. */
export function kindsOf({ kinds }: LogQuery): readonly string[] | undefined {
  return kinds?.length === 0 ? ['none'] : kinds && [...new Set(kinds)]
}
