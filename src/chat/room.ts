import type { Entry, EntryDraft, ReplyDelta, RoomName } from './entry.ts'
import type { Person, Role } from './person.ts'
import type { Participant, RoomRecord } from './ports.ts'

/** A room as everything else sees it: a log that delivers, and the people in it. */
export interface Room {
  readonly name: RoomName
  /** The room's row, as it is now. Rejects with `StorageError`. */
  info(): Promise<RoomRecord>
  /**
   * Gives the draft an id and a time, appends it to the log, then delivers it to all present, in order.
   * Resolves when it is on disk and was delivered; rejects with `StorageError` and then nobody saw it.
   */
  record(draft: EntryDraft): Promise<Entry>
  /** Shows a piece of a reply to those present; nothing is stored. */
  stream(delta: Omit<ReplyDelta, 'room'>): void
  /** Adds somebody; the first participant of a person is announced. */
  enter(participant: Participant): Promise<void>
  /** Takes somebody away; the last participant of a person is announced. */
  leave(participant: Participant): Promise<void>
  /** Hears everything without being present: a script that waits for an answer. Returns the function that ends it. */
  listen(listener: Pick<Participant, 'deliver' | 'stream'>): () => void
  /** Each person once, in order of name. */
  present(): readonly Person[]
  /** What this person may do here, by server, room and membership. Rejects with `StorageError`. */
  roleOf(person: Person): Promise<Role>
}
