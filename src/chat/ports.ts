// chat/ is the domain: rooms, what is recorded in them, people, roles, mentions. It must not know screens,
// SSH, models or databases; what it needs of the outside is in this file.
import type { Json } from '../base/json.ts'
import type { Entry, EntryId, EntryKind, ReplyDelta, RoomName } from '../words/entry.ts'
import type { Fingerprint, Person, PersonId } from '../words/person.ts'

export interface RoomRecord {
  readonly name: RoomName
  readonly topic: string
  readonly vibe: string
  readonly private: boolean
  /** Null for the lobby. */
  readonly owner: PersonId | null
  readonly createdAt: number
  /** The model of a talk, which answers each line of the owner; absent for other rooms. */
  readonly talk?: string
}

export type RenamedRoom = 'renamed' | 'taken' | 'full'

export type Membership = 'owner' | 'op' | 'member' | 'invited'

export interface LogQuery {
  /** At most this many: the newest, unless `oldestFirst`. */
  readonly limit: number
  readonly oldestFirst?: true
  readonly before?: EntryId
  readonly after?: EntryId
  readonly kinds?: readonly EntryKind[]
  /** Leaves out what sub-turns did. */
  readonly withoutThreads?: boolean
  /** Gives the last version of an edited entry instead of the first, and no retracted entries. */
  readonly revised?: boolean
}

export interface EntrySize {
  readonly id: EntryId
  readonly bytes: number
}

export interface SearchTerm {
  readonly text: string
  /** False if the last word may begin a longer one: `build` finds `building`. */
  readonly whole: boolean
}

export interface SearchQuery extends Pick<LogQuery, 'limit' | 'before' | 'kinds' | 'withoutThreads'> {
  readonly rooms: readonly RoomName[]
  /**
   * An entry matches if its text or author's name has all terms. Case, accents and punctuation make no
   * difference; in scripts without spaces any run of characters is a word.
   */
  readonly terms: readonly SearchTerm[]
  /** Leaves out what was recorded under this name. */
  readonly withoutAuthor?: string
  /** Which entries to prefer if more match than `limit`; the newest if absent. */
  readonly prefer?: 'newest' | 'best'
}

export interface FoundEntries {
  readonly entries: readonly Entry[]
  /** Why the newest entries may be missing, in words for people. */
  readonly behind?: string
}

export interface AppendResult {
  /** The entry's own id, or a new one if the room has a newer id from a server whose clock is ahead. */
  readonly id: EntryId
  readonly after?: EntryId
}

export interface LogStats {
  readonly entries: number
  /** Times of the oldest and the newest entry, in milliseconds since the epoch. */
  readonly first?: number
  readonly last?: number
  /** Sorted by entries, descending; at most `MAX_AUTHORS`. */
  readonly authors: readonly { readonly author: string; readonly entries: number }[]
  /** The newest first; at most `MAX_DAYS`. */
  readonly days: readonly DayStats[]
}

export interface DayStats {
  readonly day: string
  readonly entries: number
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
   * Resolves when the entry is on disk and survives `kill -9`; if it rejects, nothing was stored. Calls may
   * overlap. A retraction is final. Ids of a room ascend in the order of appending, on all servers: a reader
   * never finds an entry before one it has read.
   */
  append(entry: Entry): Promise<AppendResult>
  /** Oldest first, also if the newest were asked for. */
  read(room: RoomName, query: LogQuery): Promise<readonly Entry[]>
  /** The sizes of the entries that `read` would give, in the same order. Reads no text. */
  sizes(room: RoomName, query: LogQuery): Promise<readonly EntrySize[]>
  /** The newest matches, oldest first, or the best, best first. Edited entries have their last version. */
  search(query: SearchQuery): Promise<FoundEntries>
  /** Reads all of a room's log, so it may take long. */
  stats(room: RoomName): Promise<LogStats>
  /** The newest id in all rooms: new ids sort after it even if the clock went back. */
  lastId(): Promise<EntryId | undefined>
}

/**
 * All methods reject with `StorageError` only, also for a room or person that is not stored, and then changed
 * nothing. An unknown room reads as empty.
 */
export interface RoomStore {
  all(): Promise<readonly RoomRecord[]>
  find(name: RoomName): Promise<RoomRecord | undefined>
  /** Makes the owner a member. Resolves to false, and changes nothing, if the name is taken. */
  create(record: RoomRecord): Promise<boolean>
  /** As `create`, with the key-values, script, instructions, personas and memory of `from`. */
  fork(from: RoomName, record: RoomRecord): Promise<boolean>
  /**
   * Renames a room, and reserves the old name, which leads to it. Changes nothing for `taken`, if another
   * room has or had the new name, and for `full`, if this one had eight other names.
   */
  rename(from: RoomName, to: RoomName): Promise<RenamedRoom>
  /** The room that was called this before. */
  findRenamed(former: string): Promise<RoomName | undefined>
  update(name: RoomName, change: Partial<Pick<RoomRecord, 'topic' | 'vibe'>>): Promise<void>
  membership(name: RoomName, person: PersonId): Promise<Membership | undefined>
  /** `null` removes the person from the room. */
  setMembership(name: RoomName, person: PersonId, membership: Membership | null): Promise<void>
  /** Makes the person the owner, and the previous owner an op. The room is no talk any more. */
  setOwner(name: RoomName, person: PersonId): Promise<void>
  members(name: RoomName): Promise<readonly { readonly person: Person; readonly membership: Membership }[]>
  getValue(name: RoomName, key: string): Promise<Json | undefined>
  setValue(name: RoomName, key: string, value: Json | undefined): Promise<void>
  values(name: RoomName): Promise<ReadonlyMap<string, Json>>
}

export interface LoginFacts {
  /** The person who has the name, or keeps it as a former one. */
  readonly person?: Person
  /** That name as the person wrote it; empty if unknown. */
  readonly filedName?: string
  readonly ownsName: boolean
  /** True if the person added the key and it never logged in under their name. */
  readonly isWaiting: boolean
  /** The number of people who have the key, without people who only added it. */
  readonly namesOfKey: number
  readonly holders: readonly PersonId[]
}

/** Methods reject with `StorageError` only, and then changed nothing. `at` is in ms since the epoch. */
export interface PeopleStore {
  /** Finds the person who has, or keeps as a former name, the name of this skeleton (base/text/names.ts). */
  bySkeleton(skeleton: string, at: number): Promise<Person | undefined>
  /** All facts that a login needs. Of two people who had the name before, finds the key's owner. */
  forLogin(skeleton: string, key: Fingerprint, at: number): Promise<LoginFacts>
  byId(id: PersonId): Promise<Person | undefined>
  /** Finds the first `most` people, by name, whose name's skeleton begins with this one. */
  beginning(skeleton: string, most: number): Promise<readonly Person[]>
  /** Finds the registered people with these ids, in any order. */
  byIds(ids: readonly PersonId[]): Promise<readonly Person[]>
  /** Resolves to a person's keys in the order of adding, without keys that never logged in. */
  keysOf(id: PersonId): Promise<readonly Fingerprint[]>
  /** Finds all people who logged in with one of these keys, in order of name. */
  holdersOf(keys: readonly Fingerprint[]): Promise<readonly Person[]>
  /**
   * False, and nothing done, if the skeleton is taken or kept, the name looks like another
   * (base/text/names.ts), or the key has `most` names. A person who comes with certificates has no key.
   */
  register(
    person: Person,
    skeleton: string,
    key: Fingerprint | undefined,
    at: number,
    most?: number,
  ): Promise<boolean>
  hasAdmin(): Promise<boolean>
  /** Makes `id` an admin if there is none; otherwise false. */
  claimAdmin(id: PersonId): Promise<boolean>
}

export type BusEvent =
  /** `after` is the previous entry in the log. */
  | { readonly type: 'entry'; readonly entry: Entry; readonly after?: EntryId }
  | { readonly type: 'delta'; readonly delta: ReplyDelta }
  /** Shown only to some people, and in no log. */
  | { readonly type: 'whisper'; readonly entry: Entry; readonly to: readonly PersonId[] }

/** Carries what happens in rooms to listeners of all processes: each entry once, in the order of the log. */
export interface RoomBus {
  /**
   * Resolves when this process has heard the event; never rejects. A listener that throws is logged. The cost
   * does not depend on the number of rooms.
   */
  publish(room: RoomName, event: BusEvent): Promise<void>
  /** Returns a function that ends the subscription: no calls follow it, even during a delivery. */
  subscribe(room: RoomName, listener: (event: BusEvent) => void): () => void
  /** Resolves when subscribers hear all that is recorded from now on; never rejects. */
  ready(room: RoomName): Promise<void>
}

/** A terminal or a pipe of a person who is present. */
export interface Participant {
  readonly person: Person
  /** Called in the order of the room's log. Must not throw or block: it queues or drops entries. */
  deliver(entry: Entry): void
  /** Delivers an entry for this person alone, whose id means nothing; `deliver` is called if it is absent. */
  whisper?(entry: Entry): void
  stream?(delta: ReplyDelta): void
}
