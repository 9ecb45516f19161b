/**
 * moderation/ is the one place that decides who is put out: bans, mutes, kicks, rooms that are archived or deleted, and who
 * belongs to a room. The login, entering a room and speaking ask it, and its answers come from memory.
 *
 * It must not know commands, SSH, models or SQL. What it needs of the outside is in this file.
 */
import type { RoomName } from '../entry.ts'
import type { Fingerprint, PersonId } from '../people/person.ts'

/** Something that somebody may not do. */
export interface Sanction {
  /** Sorts in time order. */
  readonly id: string
  /** `ban`: may not come in. `mute`: may not speak. `archive`: nobody may speak in the room. */
  readonly kind: 'ban' | 'mute' | 'archive'
  /** Null for the whole server. */
  readonly room: RoomName | null
  /** The name, fingerprint or network that was given; the room of an archive. */
  readonly who: string
  /** The person of that name; none for a guest, a key or a network. */
  readonly people: readonly PersonId[]
  /** The person's keys of that time, or the key that was given. */
  readonly keys: readonly Fingerprint[]
  /** As lib/network.ts writes it; null if none was given. */
  readonly network: string | null
  readonly reason: string
  /** The name of the person who decided it. */
  readonly by: string
  /** Milliseconds since the epoch, as `until`, which is null for a sanction that lasts until it is lifted. */
  readonly at: number
  readonly until: number | null
}

/** Stores sanctions. All methods reject with `StorageError` only, and then nothing was changed. */
export interface SanctionStore {
  /** In order of id, whether or not their time is over. */
  all(): Promise<readonly Sanction[]>
  /** Stores one, and removes the ids in `replaced`. */
  put(sanction: Sanction, replaced: readonly string[]): Promise<void>
  remove(ids: readonly string[]): Promise<void>
}

/** Takes rooms away. All methods reject with `StorageError` only. */
export interface RoomRemoval {
  /** Removes at most `limit` entries and turns of a room; resolves to false once it has none. */
  removeSome(room: RoomName, limit: number): Promise<boolean>
  /** Removes the room with all else that is kept of it. What its turns cost stays, and names no room. */
  remove(room: RoomName): Promise<void>
}

/** Work that is to be stopped. */
export interface StoppedWork {
  /** Null for all rooms. */
  readonly room: RoomName | null
  /** The names of the people who asked for the work; absent for all. */
  readonly names?: ReadonlySet<string>
  readonly why: string
}

/** What moderation needs of the rest of the server. */
export interface ServerForModeration {
  /** Stops models and tools on all servers, and tells why. Resolves when they have ended. Never rejects. */
  stopWork(work: StoppedWork): Promise<void>
  /** Writes a room's log into a new file, with the room's files beside it. Resolves to the file's path. */
  keepRoom(room: RoomName): Promise<string>
  /** The key that has a guest's name now. */
  guestKey(name: string): Fingerprint | undefined
  /** True for the key of an admin by the config, which no act reaches. */
  isConfigAdmin(key: Fingerprint): boolean
}
