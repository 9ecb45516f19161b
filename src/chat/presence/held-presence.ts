// The port for comings and goings that one entry of the log will sum up (presence/presence.ts); a part of `EntryLog`.

import type { Entry, RoomName } from '../entry.ts'
import type { Appended } from '../appended.ts'

/** That somebody came or went. */
export interface PresenceChange {
  readonly name: string
  readonly event: 'joined' | 'left'
}

/** The part of a log that waits for its entry. All methods reject with `StorageError` only. */
export interface HeldPresence {
  /** Resolves when it is on disk. Rejects, and nothing is stored, where there is no such room. Calls may overlap. */
  hold(room: RoomName, change: PresenceChange): Promise<void>
  /** The first of those that were held, in the order of the calls. All calls of `hold` before this one count. */
  held(room: RoomName, limit: number): Promise<readonly PresenceChange[]>
  /**
   * Appends the entry to the log and forgets the first `count` changes of its room, both or neither. It rejects if those are not
   * any more what `held` gave last, because another server summed them up.
   */
  sumUp(entry: Entry, count: number): Promise<Appended>
  /** The rooms that have any, in order of name. */
  roomsWithHeld(): Promise<readonly RoomName[]>
}
