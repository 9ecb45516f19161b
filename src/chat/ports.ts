import type { Json } from '../lib/json.ts'
import type { Entry, EntryId, EntryKind, ReplyDelta, RoomName } from './entry.ts'
import type { Fingerprint, Person, PersonId } from './person.ts'

/** What a room is, apart from what was said in it. */
export interface RoomRecord {
  readonly name: RoomName
  readonly topic: string
  readonly vibe: string
  /** Private rooms exist only for their members and the invited. */
  readonly private: boolean
  /** The one who made it; the lobby has none. */
  readonly owner: PersonId | null
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** A person's standing in a room, kept while they are away. */
export type Membership = 'owner' | 'op' | 'member' | 'invited'

/** Which entries to read. */
export interface LogQuery {
  /** At most this many, the newest that match. */
  readonly limit: number
  /** Only entries older than this one. */
  readonly before?: EntryId
  /** Only entries newer than this one. */
  readonly after?: EntryId
  /** Only these kinds; all when absent. */
  readonly kinds?: readonly EntryKind[]
  /** Only entries whose text or author contains every one of these words, without regard to ASCII case. */
  readonly words?: readonly string[]
  /** True to leave out what side turns did. */
  readonly withoutThreads?: boolean
}

/**
 * The rooms' logs. `append` resolves when the entry is on disk: what was appended survives `kill -9`.
 * It rejects with `StorageError` (disk full, locked, read-only) and then nothing was stored.
 */
export interface EntryLog {
  append(entry: Entry): Promise<void>
  /** Oldest first. An unknown room has no entries. */
  read(room: RoomName, query: LogQuery): Promise<readonly Entry[]>
  /** The newest id in all rooms, so that new ids sort after it even if the clock went back. */
  lastId(): Promise<EntryId | undefined>
}

/** Rooms, who belongs to them, and their key-values. All methods reject with `StorageError` only. */
export interface RoomStore {
  /** In order of name. */
  all(): Promise<readonly RoomRecord[]>
  find(name: RoomName): Promise<RoomRecord | undefined>
  /** False, and nothing done, if the name is taken. The owner becomes a member in the same transaction. */
  create(record: RoomRecord): Promise<boolean>
  /** As `create`, with the key-values and the current script of `from`, in the same transaction. */
  fork(from: RoomName, record: RoomRecord): Promise<boolean>
  update(name: RoomName, change: Partial<Pick<RoomRecord, 'topic' | 'vibe'>>): Promise<void>
  membership(name: RoomName, person: PersonId): Promise<Membership | undefined>
  setMembership(name: RoomName, person: PersonId, membership: Membership | null): Promise<void>
  /** In order of name. */
  members(name: RoomName): Promise<readonly { readonly person: Person; readonly membership: Membership }[]>
  getValue(name: RoomName, key: string): Promise<Json | undefined>
  /** `undefined` removes the key. */
  setValue(name: RoomName, key: string, value: Json | undefined): Promise<void>
  /** In order of key. */
  values(name: RoomName): Promise<ReadonlyMap<string, Json>>
}

/** Registered people and their keys. All methods reject with `StorageError` only. */
export interface PeopleStore {
  /** By the skeleton of a name (lib/skeleton.ts), which is what must be unique. */
  bySkeleton(skeleton: string): Promise<Person | undefined>
  byId(id: PersonId): Promise<Person | undefined>
  keysOf(id: PersonId): Promise<readonly Fingerprint[]>
  /** False, and nothing done, if the skeleton is taken. */
  register(person: Person, skeleton: string, key: Fingerprint, at: number): Promise<boolean>
  addKey(id: PersonId, key: Fingerprint, at: number): Promise<void>
  setAdmin(id: PersonId, admin: boolean): Promise<void>
  hasAdmin(): Promise<boolean>
  /** Makes `id` an admin if there is none; false, and nothing done, if there is one. */
  claimAdmin(id: PersonId): Promise<boolean>
}

/** What one process tells the others. Delivery is in the order of publishing, for each room. */
export type BusEvent =
  { readonly type: 'entry'; readonly entry: Entry } | { readonly type: 'delta'; readonly delta: ReplyDelta }

/** Carries events between processes; today there is one process and the bus is a list of listeners. */
export interface RoomBus {
  /** Never throws; a listener that throws is logged and the others still hear. */
  publish(event: BusEvent): void
  /** Returns the function that ends the subscription. */
  subscribe(listener: (event: BusEvent) => void): () => void
}

/** Time from outside, so that tests can hold it still. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}

/** Somebody present in a room: a terminal, a pipe, a script waiting for an answer. */
export interface Participant {
  readonly person: Person
  /** Called in the room's order. Must not throw and must not block: queue or drop. */
  deliver(entry: Entry): void
  /** A piece of a reply being written. Optional: a pipe waits for the whole reply. */
  stream?(delta: ReplyDelta): void
}

/** A logger that takes structured facts; never throws. */
export interface Log {
  debug(facts: object, text: string): void
  info(facts: object, text: string): void
  warn(facts: object, text: string): void
  error(facts: object, text: string): void
}
