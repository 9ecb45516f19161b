/**
 * chat/ is the domain: rooms, what is recorded in them, people, roles, mentions.
 *
 * It must not know how a room is shown, what carries a session, how a model is asked or which database stores the log.
 * What it needs of the outside is in this file: storage, the bus, time and the server's log.
 */
import type { Json } from '../lib/json.ts'
import type { Entry, EntryId, EntryKind, ReplyDelta, RoomName } from './entry.ts'
import type { PresenceChange } from './presence/tally.ts'
import type { Fingerprint, Person, PersonId } from './people/person.ts'

/** A room without its log. */
export interface RoomRecord {
  readonly name: RoomName
  readonly topic: string
  readonly vibe: string
  /** Private rooms exist only for their members and the invited. */
  readonly private: boolean
  /** The person who made it; the lobby has none. */
  readonly owner: PersonId | null
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** What a person is in a room, kept while they are away. */
export type Membership = 'owner' | 'op' | 'member' | 'invited'

/** Which entries to read. */
export interface LogQuery {
  /** At most this many: the newest that match, unless `oldestFirst`. */
  readonly limit: number
  /** True for the oldest that match. */
  readonly oldestFirst?: true
  readonly before?: EntryId
  readonly after?: EntryId
  readonly kinds?: readonly EntryKind[]
  /** True to leave out what sub-turns did. */
  readonly withoutThreads?: boolean
  /** True for the last version of an edited entry, at the place of the first, and without entries that were taken back. */
  readonly revised?: boolean
}

/** An entry, as far as one must know it before it is read. */
export interface EntrySize {
  readonly id: EntryId
  readonly bytes: number
}

/** An entry must have it in its text or its author's name. */
export interface SearchTerm {
  /** A word, or several that follow each other. */
  readonly text: string
  /** False if the last word may go on: `build` finds `building`. */
  readonly whole: boolean
}

export interface SearchQuery extends Pick<LogQuery, 'limit' | 'before' | 'kinds' | 'withoutThreads'> {
  readonly rooms: readonly RoomName[]
  /**
   * All of them must be there. Case, accents and punctuation make no difference. In scripts that put no spaces between
   * words, such as Chinese and Thai, any run of characters is a word.
   */
  readonly terms: readonly SearchTerm[]
  /** Which entries to prefer if more match than `limit`: the newest (when absent), or the best matches. */
  readonly prefer?: 'newest' | 'best'
}

export interface FoundEntries {
  readonly entries: readonly Entry[]
  /** Why the newest entries may be missing, in words for people; absent if none are. */
  readonly behind?: string
}

export interface Appended {
  /** The entry's own id, unless the room has a newer entry, of a server whose clock is ahead. */
  readonly id: EntryId
  /** The entry before it; absent for the first. */
  readonly after?: EntryId
}

/** Tokens are those that were charged, as `/usage` has them. */
export interface LogStats {
  readonly entries: number
  /** Times of the oldest and the newest entry, in milliseconds since the epoch; absent if there is none. */
  readonly first?: number
  readonly last?: number
  /** The most entries first; at most `MAX_AUTHORS`. */
  readonly authors: readonly { readonly author: string; readonly entries: number }[]
  /** The newest day comes first; at most `MAX_DAYS`. */
  readonly days: readonly DayStats[]
}

/** One day, in UTC. */
export interface DayStats {
  /** `2026-01-31` */
  readonly day: string
  readonly entries: number
  /** Tools that ran. */
  readonly calls: number
  readonly replies: number
  readonly input: number
  readonly output: number
}

export const MAX_AUTHORS = 50
export const MAX_DAYS = 31

/** The rooms' logs. All methods reject with `StorageError` only. */
export interface EntryLog {
  /**
   * Resolves when the entry is on disk: what was appended survives `kill -9`. If it rejects (disk full, locked,
   * read-only), the entry was not stored. Calls may overlap. An entry with `edits` or `retracts` counts at once for who
   * reads the log revised; what was taken back stays so, whatever edits it later. In each room ids ascend in the order of
   * appending, which all servers see: whoever has read an entry never finds another one before it later.
   */
  append(entry: Entry): Promise<Appended>
  /** The entries that match, oldest first whichever they are. An unknown room has none. */
  read(room: RoomName, query: LogQuery): Promise<readonly Entry[]>
  /** How large the entries are that `read` would give, in the same order. Cheap: no text is read. */
  sizes(room: RoomName, query: LogQuery): Promise<readonly EntrySize[]>
  /**
   * The entries of these rooms that match: the newest, oldest first, or the best, best first. Everything that was
   * appended before is found, unless it says otherwise; nothing is found for terms without a letter, a digit or a symbol
   * such as an emoji. Of what was edited only the last version is found, and nothing of what was taken back.
   */
  search(query: SearchQuery): Promise<FoundEntries>
  /** Counts a room's log. Reads all of it, so it may take long. */
  stats(room: RoomName): Promise<LogStats>
  /** The newest id in all rooms, so that new ids sort after it even if the clock went back. */
  lastId(): Promise<EntryId | undefined>
  /**
   * Removes and returns the comings and goings that an earlier version stored and did not sum up, in their order. To be
   * removed a release later, with their table.
   */
  takeHeldPresence(): Promise<readonly (PresenceChange & { readonly room: RoomName })[]>
}

/**
 * Rooms, who belongs to them, and their key-values. All methods reject with `StorageError` only, for example when a
 * room or person to be changed is not stored, and then nothing was changed. Reading an unknown room finds nothing.
 */
export interface RoomStore {
  /** In order of name. */
  all(): Promise<readonly RoomRecord[]>
  find(name: RoomName): Promise<RoomRecord | undefined>
  /** False, and nothing done, if the name is taken. The owner becomes a member in the same transaction. */
  create(record: RoomRecord): Promise<boolean>
  /** As `create`, with the key-values and the current script of `from`, in the same transaction. */
  fork(from: RoomName, record: RoomRecord): Promise<boolean>
  /** An unknown room is left unknown. */
  update(name: RoomName, change: Partial<Pick<RoomRecord, 'topic' | 'vibe'>>): Promise<void>
  membership(name: RoomName, person: PersonId): Promise<Membership | undefined>
  /** `null` takes the person out of the room. */
  setMembership(name: RoomName, person: PersonId, membership: Membership | null): Promise<void>
  /** In order of name. */
  members(name: RoomName): Promise<readonly { readonly person: Person; readonly membership: Membership }[]>
  getValue(name: RoomName, key: string): Promise<Json | undefined>
  /** `undefined` removes the key. */
  setValue(name: RoomName, key: string, value: Json | undefined): Promise<void>
  /** In order of key. */
  values(name: RoomName): Promise<ReadonlyMap<string, Json>>
}

/** What is stored about a name and a key that ask to come in. */
export interface LoginFacts {
  /** The person who has the name, or had it and still keeps it. */
  readonly person?: Person
  /** That name as they wrote it; empty if that is not known. Present with `person`. */
  readonly filedName?: string
  /** True if the key is one of theirs. */
  readonly ownsName: boolean
  /** True if they added the key, and it waits for its first login under their name. */
  readonly isWaiting: boolean
  /** How many people have the key, without those for whom it waits. */
  readonly namesOfKey: number
  /** Their ids, in any order. */
  readonly holders: readonly PersonId[]
}

/** Registered people and their keys. All methods reject with `StorageError` only, and then nothing was changed. */
export interface PeopleStore {
  /**
   * By the skeleton of a name (lib/text/names.ts), which must be unique: the person who has it, or who had it before
   * and keeps it at this time, in milliseconds since the epoch.
   */
  bySkeleton(skeleton: string, at: number): Promise<Person | undefined>
  /**
   * All that a login must know at this time, in milliseconds since the epoch, in one reading. Of two people who had one
   * name before, the owner of the key is found.
   */
  forLogin(skeleton: string, key: Fingerprint, at: number): Promise<LoginFacts>
  byId(id: PersonId): Promise<Person | undefined>
  /** In the order in which they were added, without those that wait for their first login. */
  keysOf(id: PersonId): Promise<readonly Fingerprint[]>
  /** All who have one of these keys, in order of name; nobody for whom it waits for a first login. */
  holdersOf(keys: readonly Fingerprint[]): Promise<readonly Person[]>
  /**
   * False, and nothing done, if the skeleton is taken or kept for somebody, the name looks like another (`look` of
   * lib/text/names.ts), or the key has `most` names. `at` is in milliseconds since the epoch. A person who comes with
   * certificates has no key.
   */
  register(
    person: Person,
    skeleton: string,
    key: Fingerprint | undefined,
    at: number,
    most?: number,
  ): Promise<boolean>
  setAdmin(id: PersonId, admin: boolean): Promise<void>
  hasAdmin(): Promise<boolean>
  /** Makes `id` an admin if there is none; false, and nothing done, if there is one. */
  claimAdmin(id: PersonId): Promise<boolean>
}

/** What happened in a room. */
export type BusEvent =
  /** An entry was recorded; `after` is the entry before it in the log, if there is one. */
  | { readonly type: 'entry'; readonly entry: Entry; readonly after?: EntryId }
  /** A model wrote a piece of its reply. */
  | { readonly type: 'delta'; readonly delta: ReplyDelta }
  /** Some people alone are told something that is in no log. */
  | { readonly type: 'whisper'; readonly entry: Entry; readonly to: readonly PersonId[] }

/**
 * Carries what happens in rooms to everybody who listens for it, in this process or another. All listeners of a room
 * hear its entries in the order of its log, and each once.
 */
export interface RoomBus {
  /**
   * Hands an event to the listeners of this room. Resolves when those in this process have heard it; never rejects. A
   * listener that throws is logged, and the others still hear. The cost does not depend on the number of rooms.
   */
  publish(room: RoomName, event: BusEvent): Promise<void>
  /**
   * From now on `listener` is called with each event of this room, twice if subscribed twice. Returns the function that
   * ends the subscription. After that the listener is not called again, not even with an event that is being delivered.
   */
  subscribe(room: RoomName, listener: (event: BusEvent) => void): () => void
  /** Resolves when subscribers hear all that is recorded from now on; never rejects. */
  ready(room: RoomName): Promise<void>
}

/** Time from outside, so that tests can hold it still: for what is stored or shown. */
export interface Clock {
  /** Milliseconds since the epoch. May go back, as the machine's clock can. */
  now(): number
}

/** Calls back later. It keeps no process from ending. */
export interface Alarm {
  later(ms: number, run: () => void): void
}

/** For paces, limits and durations, which must not change when somebody sets the machine's clock. */
export interface MonotonicClock {
  /** Milliseconds since some moment before; never goes back. */
  monotonic(): number
}

/** A terminal or a pipe of a person who is present, to which a room delivers. */
export interface Participant {
  readonly person: Person
  /** Called in the order of the room's log. Must not throw and must not block: it queues or drops. */
  deliver(entry: Entry): void
  /**
   * Said to this person alone and in no log, otherwise as `deliver`, which is called if this is absent. The id says
   * nothing: another server may have made it, by another clock.
   */
  whisper?(entry: Entry): void
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
