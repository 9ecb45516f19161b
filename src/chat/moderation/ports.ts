/**
 * moderation/ is the one place that decides who is put out: bans, mutes, kicks, rooms that are archived or deleted, and who
 * belongs to a room. The login, entering a room and speaking ask it, and its answers come from memory.
 *
 * It must not know commands, SSH, models or SQL. What it needs of the outside is in this file.
 */
import type { RoomName } from '../entry.ts'
import type { Fingerprint, Person, PersonId } from '../people/person.ts'

/** Something that somebody may not do. */
export interface Sanction {
  /** Sorts in time order. */
  readonly id: string
  /** `ban`: may not come in. `mute`: may not speak. `archive`: nobody may speak in the room. */
  readonly kind: 'ban' | 'mute' | 'archive'
  /** Null for the whole server. */
  readonly room: RoomName | null
  /** Whom an op or an admin named: a name, a fingerprint or a network; the room where it is archived. */
  readonly who: string
  /** All who count as the one who was named. */
  readonly people: readonly PersonId[]
  readonly keys: readonly Fingerprint[]
  /** As lib/network.ts writes it; null where none was named. */
  readonly network: string | null
  readonly reason: string
  /** The name of the one who decided it. */
  readonly by: string
  /** Milliseconds since the epoch, as `until`, which is null for a sanction that lasts until it is lifted. */
  readonly at: number
  readonly until: number | null
}

/** People and keys that belong together: each of these people has one of these keys. */
export interface LinkedPeople {
  /** In order of name. */
  readonly people: readonly Person[]
  readonly keys: readonly Fingerprint[]
}

/** What is kept of sanctions. All methods reject with `StorageError` only, and then nothing was changed. */
export interface SanctionStore {
  /** In order of id, whether or not their time is over. */
  all(): Promise<readonly Sanction[]>
  /** Stores one, and takes away those that it replaces. */
  put(sanction: Sanction, replaced: readonly string[]): Promise<void>
  remove(ids: readonly string[]): Promise<void>
  /**
   * All who can be reached from these by a key that several people have, and all of their keys, these included. Nobody is
   * reached by the key `except`.
   */
  linked(seed: {
    readonly people: readonly PersonId[]
    readonly keys: readonly Fingerprint[]
    readonly except?: Fingerprint
  }): Promise<LinkedPeople>
}

/** Takes rooms away. All methods reject with `StorageError` only. */
export interface RoomRemoval {
  /** Removes at most so many entries and turns of a room; resolves to false once it has none. */
  removeSome(room: RoomName, limit: number): Promise<boolean>
  /** Removes the room with all else that is kept of it. What its turns cost stays, and names no room. */
  remove(room: RoomName): Promise<void>
}
