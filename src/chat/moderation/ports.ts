/**
 * moderation/ decides who is removed and who belongs to a room. It must not know commands, SSH, models or
 * SQL; what it needs of the outside is in this file.
 */
import type { Entry, EntryId, RoomName, Speaker } from '../../words/entry.ts'
import type { Fingerprint, PersonId } from '../../words/person.ts'

export interface Sanction {
  readonly id: string
  /** `ban`: may not come in. `mute`: may not speak. `archive`: nobody may speak in the room. */
  readonly kind: 'ban' | 'mute' | 'archive'
  /** Null for the whole server. */
  readonly room: RoomName | null
  /** The name, fingerprint or network that was given; for `archive`, the room's name. */
  readonly who: string
  /** Empty for a guest, a key or a network. */
  readonly people: readonly PersonId[]
  /** The person's keys at that time, or the key that was given. */
  readonly keys: readonly Fingerprint[]
  /** In the form of base/network.ts. */
  readonly network: string | null
  readonly reason: string
  readonly by: string
  /** In milliseconds since the epoch. */
  readonly at: number
  /** Null for a sanction that lasts until it is lifted. */
  readonly until: number | null
}

/** All methods reject with `StorageError` only, and then changed nothing. */
export interface SanctionStore {
  all(): Promise<readonly Sanction[]>
  /** Stores a sanction, and removes the sanctions with the ids `replaced`. */
  put(sanction: Sanction, replaced: readonly string[]): Promise<void>
  remove(ids: readonly string[]): Promise<void>
}

export interface RoomRemoval {
  /** Removes at most `limit` entries and turns. Resolves to false once none are left. */
  removeSome(room: RoomName, limit: number): Promise<boolean>
  /** Removes the room and all other rows of it. Charges of its turns stay, without its name. */
  remove(room: RoomName): Promise<void>
}

/** A line of `sshawl audit`: `room` and `what` become its columns `where` and `may`. */
interface RemovalRecord {
  readonly id: string
  readonly at: number
  /** Null for the whole server. */
  readonly room: RoomName | null
  readonly who: string
  readonly what: string
  readonly by: string
}

/** Removes lines, and copies of them, for good. Times are in milliseconds since the epoch. */
export interface RetentionStore {
  /** Resolves to the days that rooms keep lines. Rooms that keep them for good are absent. */
  days(): Promise<ReadonlyMap<RoomName, number>>
  /** `null` keeps lines for good. */
  setDays(room: RoomName, days: number | null): Promise<void>
  /** Counts a room's entries from before `before`. Reads them all, so it may take long. */
  countBefore(room: RoomName, before: number): Promise<number>
  /**
   * Removes at most `limit` entries of a room from before `before`, the oldest first; then its turns, long
   * results and versions of its summary. Resolves to how many it removed: 0 once nothing is left.
   */
  removeBefore(room: RoomName, before: number, limit: number): Promise<number>
  /**
   * Removes the requests of some turns from before `before`, and stores that they were kept for `days`.
   * Resolves to the number of these turns: 0 once nothing is left.
   */
  removeRequests(before: number, days: number): Promise<number>
  /**
   * Resolves to all entries that the speaker may have said, and all reactions, oldest first. Reads all logs.
   */
  mayBeOf(speaker: Speaker): Promise<readonly Entry[]>
  /** Counts the routines of a person, ended ones too, and what else `removeMessages` removes. */
  countOthers(person: PersonId): Promise<{ readonly routines: number; readonly texts: number }>
  removeLines(ids: readonly EntryId[]): Promise<void>
  /**
   * Removes what may have copies of lines of a room from `since` on: requests to models, some turns at a
   * time, then long results and versions of the summary. Resolves to false once done.
   */
  removeCopies(room: RoomName, since: number): Promise<boolean>
  /**
   * Removes a person's messages that wait for others, the lines they typed, their draft, absence, words
   * that ring and routines, the memories that they said, and the texts of all instructions and personas
   * that have their name.
   */
  removeMessages(from: { readonly id: PersonId; readonly name: string }): Promise<void>
  record(removal: RemovalRecord): Promise<void>
}

export interface StoppedWork {
  readonly room: RoomName | null
  readonly names?: ReadonlySet<string>
  readonly why: string
}

export interface ServerForModeration {
  /** Stops models and tools on all servers, and shows `why`. Resolves when they have ended. Never rejects. */
  stopWork(work: StoppedWork): Promise<void>
  /** Writes a room's log into a new file, with the room's files beside it. Resolves to its path. */
  keepRoom(room: RoomName): Promise<string>
  /** Moves a room's files to its new name. */
  moveRoom(from: RoomName, to: RoomName): Promise<void>
  /**
   * Runs `remove` while no summary of the room is made. The current summary does not cover the entry then.
   */
  forget(room: RoomName, entry: EntryId, remove: () => Promise<unknown>): Promise<void>
  /** Rebuilds the search index, and returns free pages to the file system. Never rejects. */
  tidy(): Promise<void>
  guestKey(name: string): Fingerprint | undefined
  /** True for keys of admins by the config. No act is allowed against them. */
  isConfigAdmin(key: Fingerprint): boolean
}

/** These people, all who came in with one of the keys, and all whose address begins with `bits`. */
export interface Group {
  readonly people: readonly PersonId[]
  readonly keys: readonly Fingerprint[]
  readonly bits?: string | undefined
}

/** The people concerned by an act: a group, a person if they came in with this key, or all with a token. */
export type Whom = Group | { readonly person: PersonId; readonly key: string } | { readonly token: number }

/** An act on clients, as JSON. `text` is shown to them. */
export type ClientAct =
  | { readonly act: 'tell' | 'end'; readonly whom: Whom; readonly text: string }
  | { readonly act: 'leave'; readonly room: RoomName; readonly whom: Whom; readonly text: string }
