// moderation/ decides who is removed and who belongs to a room. It must not know commands, SSH, models or
// SQL; its needs of the outside are in this file. Times are in milliseconds since the epoch.
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
  /** Removes the room and all its other rows. Charges of its turns stay, without the room's name. */
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

/** Removes lines, and copies of them, for good. */
export interface RetentionStore {
  /** The days that rooms keep lines. Rooms that keep lines for good are absent. */
  days(): Promise<ReadonlyMap<RoomName, number>>
  /** `null` keeps lines for good. */
  setDays(room: RoomName, days: number | null): Promise<void>
  /** Counts entries from before `before`. May take long, because it reads all of them. */
  countBefore(room: RoomName, before: number): Promise<number>
  /**
   * Removes at most `limit` of a room's entries from before `before`, oldest first, then its turns, long
   * results and summary versions. Resolves to the number removed: 0 once nothing is left.
   */
  removeBefore(room: RoomName, before: number, limit: number): Promise<number>
  /** Removes some turns' requests from before `before`, stores `days` with them. Resolves to their number. */
  removeRequests(before: number, days: number): Promise<number>
  /** Resolves to all reactions and all entries that `speaker` may have said, oldest first. Reads all logs. */
  mayBeOf(speaker: Speaker): Promise<readonly Entry[]>
  /** `routines` includes ended ones; `texts` counts what else `removeMessages` removes. */
  countOthers(person: PersonId): Promise<{ readonly routines: number; readonly texts: number }>
  removeLines(ids: readonly EntryId[]): Promise<void>
  /** Removes some turns' requests since `since`, then long results and summaries. False once all are gone. */
  removeCopies(room: RoomName, since: number): Promise<boolean>
  /**
   * Removes a person's waiting messages, typed lines, draft, absence, alert words and routines, the memories
   * that they said, and the texts of all instructions and personas that have their name.
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
  /** Runs `remove` while no summary is made. The current summary does not cover the entry then. */
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
export type ClientTarget =
  | Group
  | { readonly person: PersonId; readonly key: string }
  | { readonly token: number }

/** An act on clients, as JSON. `text` is shown to them. */
export type ClientAct =
  | { readonly act: 'tell' | 'end'; readonly whom: ClientTarget; readonly text: string }
  | { readonly act: 'leave'; readonly room: RoomName; readonly whom: ClientTarget; readonly text: string }
