/**
 * moderation/ decides who is put out and who belongs to a room. It must not know commands, SSH, models or
 * SQL; what it needs of the outside is in this file.
 */
import type { Entry, EntryId, RoomName, Speaker } from '../entry.ts'
import type { Fingerprint, PersonId } from '../people/person.ts'

export interface Sanction {
  readonly id: string
  /** `ban`: may not come in. `mute`: may not speak. `archive`: nobody may speak in the room. */
  readonly kind: 'ban' | 'mute' | 'archive'
  /** Null for the whole server. */
  readonly room: RoomName | null
  /** The name, fingerprint or network that was given; the room of an archive. */
  readonly who: string
  /** None for a guest, a key or a network. */
  readonly people: readonly PersonId[]
  /** The person's keys at that time, or the key that was given. */
  readonly keys: readonly Fingerprint[]
  /** As lib/network.ts writes it. */
  readonly network: string | null
  readonly reason: string
  readonly by: string
  /** In milliseconds since the epoch. `until` is null for a sanction that lasts until it is lifted. */
  readonly at: number
  readonly until: number | null
}

/** All methods reject with `StorageError` only, and then changed nothing. */
export interface SanctionStore {
  all(): Promise<readonly Sanction[]>
  /** Removes the ids in `replaced`. */
  put(sanction: Sanction, replaced: readonly string[]): Promise<void>
  remove(ids: readonly string[]): Promise<void>
}

export interface RoomRemoval {
  /** Removes at most `limit` entries and turns; false once the room has none. */
  removeSome(room: RoomName, limit: number): Promise<boolean>
  /** Removes the room and all else of it. What its turns cost stays, without its name. */
  remove(room: RoomName): Promise<void>
}

/** `who`, `where` and `may` of a line that `sshawl audit` prints from then on. */
interface RemovalRecord {
  readonly id: string
  readonly at: number
  /** Null for the whole server. */
  readonly room: RoomName | null
  readonly who: string
  readonly what: string
  readonly by: string
}

/** What was said, to be removed for good. Times are in milliseconds since the epoch. */
export interface RetentionStore {
  /** Days that rooms keep what was said; rooms that keep it for good are absent. */
  days(): Promise<ReadonlyMap<RoomName, number>>
  /** Null: for good. */
  setDays(room: RoomName, days: number | null): Promise<void>
  /** The entries of a room from before. Reads them all, so it may take long. */
  countBefore(room: RoomName, before: number): Promise<number>
  /**
   * Removes at most `limit` entries of a room from before, the oldest first; then its turns, long results and
   * versions of its summary. Resolves to how many it removed: 0 once there is nothing more.
   */
  removeBefore(room: RoomName, before: number, limit: number): Promise<number>
  /**
   * Removes what some turns from before sent to models, and notes that it was kept for so many days. Resolves to
   * how many turns these were: 0 once there is nothing more.
   */
  removeRequests(before: number, days: number): Promise<number>
  /** All entries that somebody may have said, or that react to such, oldest first. Reads all of the log. */
  mayBeOf(speaker: Speaker): Promise<readonly Entry[]>
  removeLines(ids: readonly EntryId[]): Promise<void>
  /**
   * Removes what may have copies of lines of a room since then: what was sent to models, some turns at a time,
   * then long results and versions of the summary. False once done.
   */
  removeCopies(room: RoomName, since: number): Promise<boolean>
  /** Removes a person's messages that wait for others, the lines they typed, and their draft. */
  removeMessages(from: PersonId): Promise<void>
  record(removal: RemovalRecord): Promise<void>
}

export interface StoppedWork {
  readonly room: RoomName | null
  readonly names?: ReadonlySet<string>
  readonly why: string
}

export interface ServerForModeration {
  /** Stops models and tools on all servers, and tells why. Resolves when they have ended. Never rejects. */
  stopWork(work: StoppedWork): Promise<void>
  /** Writes a room's log into a new file, with the room's files beside it. Resolves to its path. */
  keepRoom(room: RoomName): Promise<string>
  /** Moves a room's files to another name's. */
  moveRoom(from: RoomName, to: RoomName): Promise<void>
  /** Runs `remove` while no summary of the room is made; none that covers the entry is left, as after a retraction. */
  forget(room: RoomName, entry: EntryId, remove: () => Promise<unknown>): Promise<void>
  /** Makes the search index anew, and gives free space back to the disk. Never rejects. */
  tidy(): Promise<void>
  guestKey(name: string): Fingerprint | undefined
  /** No act reaches an admin by the config. */
  isConfigAdmin(key: Fingerprint): boolean
}
