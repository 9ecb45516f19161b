import type { Entry } from '../../../chat/entry.ts'

/** A row of `entries`: what all kinds have in columns, the rest as JSON. */
export interface EntryRow {
  readonly id: string
  readonly room: string
  readonly at: number
  readonly kind: string
  readonly author: string
  readonly text: string
  readonly data: string
}

/** The entry as it is stored. */
export function toRow(entry: Entry): EntryRow {
  const { id, room, at, kind, author, text, ...rest } = entry
  return { id, room, at, kind, author, text, data: JSON.stringify(rest) }
}

/** The entry as it was given to `toRow`. */
export function toEntry({ id, room, at, kind, author, text, data }: EntryRow): Entry {
  // Hundreds of rows are read for every prompt, and most have nothing in it.
  return {
    ...(data === '{}' ? undefined : (JSON.parse(data) as object)),
    id,
    room,
    at,
    kind,
    author,
    text,
  } as unknown as Entry
}
