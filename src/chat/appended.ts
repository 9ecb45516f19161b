import type { EntryId } from './entry.ts'

/** Where an entry was stored in its room's log. */
export interface Appended {
  /** The entry's id: the one that it came with, unless the room has a newer entry, of a server whose clock is ahead. */
  readonly id: EntryId
  /** The entry before it; absent for the first. */
  readonly after?: EntryId
}
