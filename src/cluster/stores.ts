/**
 * cluster/ lets several servers share the rooms of one database: which of them live, who is in a room
 * through which, what others changed, and the lines of the rooms in their order. The database is the truth.
 * A wire only says sooner what a look at the database would say within a second, so nobody sees what the
 * wire loses, doubles or delivers late.
 *
 * It must not know which engines these are, how a room is shown, or what a model does. A server that has its
 * database alone runs none of it (chat/local-peers.ts).
 */
import type { EntryId, RoomName } from '../chat/entry.ts'
import type { Broadcasts, QuestionCounts, QuestionKey, Questions, SlotLimits, Work } from '../chat/peers.ts'
import type { Person, PersonId } from '../chat/people/person.ts'
import type { Brand } from '../lib/basics.ts'
import type { JsonObject } from '../lib/json.ts'

/** One process, from its start to its end. */
export type ServerId = Brand<'ServerId'>

/**
 * Carries short texts between servers: each at most once, perhaps late, perhaps never, in the order of
 * sending of each server. No method throws or waits.
 */
export interface Wire extends AsyncDisposable {
  /** UTF-8 bytes of the longest text that it takes. */
  readonly maxBytes: number
  /** What cannot be sent now is lost. A subject has letters of `a-z0-9_-`, with dots between words. */
  send(subject: string, text: string): void
  /** Gives what is sent under this subject, by this server too. Returns the function that ends it. */
  hear(subject: string, listener: (text: string) => void): () => void
  /** False while it is cut off. */
  isUp(): boolean
}

/** What a server says of itself. */
export interface ServerFacts {
  /** For people: `MACHINE (HOST:PORT)`. Two machines may listen at one address. */
  readonly name: string
  readonly version: string
  /** A hash of all that the servers should have alike. */
  readonly config: string
}

export interface ServerRecord extends ServerFacts {
  readonly id: ServerId
}

/** Servers that died, and what is left to do for them. */
export interface ExpiredServers {
  readonly servers: readonly Pick<ServerRecord, 'id' | 'name'>[]
  /** The people who have left a room with them, by the names of now. */
  readonly left: readonly { readonly room: RoomName; readonly name: string }[]
  /** Their questions, which nobody can answer any more. */
  readonly questions: readonly QuestionRow[]
}

/** The servers of a database. All methods of this file's stores reject with `StorageError` only. */
export interface ServerStore {
  /** This server runs. */
  register(facts: ServerFacts): Promise<void>
  /** Stores changed facts. False, and nothing done, if others have ended its lease. */
  update(facts: ServerFacts): Promise<boolean>
  /** Renews the lease. False if others have ended it: then nothing of this server is left. */
  renew(): Promise<boolean>
  /** Ends the lease of this server. */
  end(): Promise<void>
  /**
   * Ends the leases that other servers did not renew for so many ms by the database's clock, each once,
   * whichever server asks. Their people have left the rooms in which they are through no other server.
   */
  expire(ms: number): Promise<ExpiredServers>
  /** Ends the lease of a server that is known to have ended. */
  expireOne(server: ServerId): Promise<ExpiredServers>
  /** In the order of their start. */
  alive(): Promise<readonly ServerRecord[]>
}

export interface PersonInRoom {
  readonly room: RoomName
  readonly person: PersonId
}

/** Somebody who is in a room through another server. */
export interface PresentRow {
  readonly room: RoomName
  readonly server: ServerId
  readonly person: Person
}

/** Who is in a room through which server. */
export interface PresentStore {
  /** They are there through this server. Resolves to whether they were in the room through none before. */
  come(room: RoomName, person: Person): Promise<boolean>
  /** They are not any more. Resolves to whether they were, and are in the room through no other server. */
  go(room: RoomName, person: Person): Promise<boolean>
  /** The people who are in these places, or anywhere, through other servers. */
  elsewhere(places?: readonly PersonInRoom[]): Promise<readonly PresentRow[]>
}

/**
 * What can change. Keys are ids of what changed, but for `present` (`PERSON ROOM`), `questions` (`NUMBER
 * ROOM`), `rooms`, which are being deleted or not any more, and `room_scripts` (names), and `mcp_*` (names of
 * servers). `people`, `keys`, `away`, `ignored` and `preferences` have ids of people. Only `people` is told
 * of this server's own changes.
 */
export type Topic =
  | 'present'
  | 'questions'
  | 'broadcasts'
  | 'sanctions'
  | 'work'
  | 'rooms'
  | 'room_scripts'
  | 'people'
  | 'keys'
  | 'away'
  | 'ignored'
  | 'preferences'
  | 'mcp_servers'
  | 'mcp_pins'

/** Says what other servers changed in the database, so that it is read again. */
export interface Changes extends AsyncDisposable {
  /**
   * Calls `read` with the keys of what other servers changed, at least once for each change, in any order;
   * and with 'all' if changes may have been missed: at the beginning, after the connection was cut, and every
   * 30 seconds. If it rejects with `StorageError`, it is called again a second later.
   */
  on(topic: Topic, read: (keys: readonly never[] | 'all') => Promise<void>): void
  /** Resolves when everything was read and changes are heard. Rejects with `StorageError`. */
  begin(): Promise<void>
  /** Has all topics read everything again, and resolves when they have. Rejects with `StorageError`. */
  readAll(): Promise<void>
  /** See `Peers.upToDate`. */
  upToDate(): Promise<void> | undefined
}

/** A broadcast, as it was sent. */
export type BroadcastRow = {
  readonly [Kind in keyof Broadcasts]: { readonly kind: Kind; readonly data: Broadcasts[Kind] }
}[keyof Broadcasts]

export interface BroadcastStore {
  send(broadcast: BroadcastRow): Promise<void>
  /** The ids of what other servers sent in the last ten minutes. */
  ids(): Promise<readonly string[]>
  /** Those with these ids, in the order of sending. */
  read(ids: readonly string[]): Promise<readonly (BroadcastRow & { readonly id: string })[]>
}

/** Rooms that are being deleted or renamed. Other servers append nothing to their logs. */
export interface ClosingStore {
  /** This server closes a room; `by` tells why. False, and nothing done, if another one does, or there is no such room. */
  close(room: RoomName, by: string): Promise<boolean>
  /** It does not any more. */
  open(room: RoomName): Promise<void>
  /** The rooms that other servers have closed, and why, as a sentence. */
  closedByOthers(): Promise<ReadonlyMap<RoomName, string>>
  /** True if somebody is in the room, or something at work there, through another server. */
  isUsedByOthers(room: RoomName): Promise<boolean>
}

export interface WorkRow extends Work {
  readonly server: ServerId
  /** It has not begun. */
  readonly waits: boolean
  /** What it last reported to do. */
  readonly doing: JsonObject
  /** Milliseconds since it was asked for, by the database's clock. */
  readonly ageMs: number
}

/**
 * What is at work on all servers. lib/jobs/serial.ts says who comes next in a queue. The work of a
 * server that has died is gone with it.
 */
export interface WorkStore {
  /** It runs on this server, or waits, if its queue is not full. Otherwise: how many there are. */
  take(
    work: Work,
    limits: SlotLimits,
  ): Promise<{ readonly taken: true; readonly waits: boolean } | ({ readonly taken: false } & SlotLimits)>
  /** It has ended, or does not wait any more: as many as may run now begin. */
  leave(work: Pick<Work, 'id' | 'queue'>, limits: Pick<SlotLimits, 'running'>): Promise<void>
  /** As many as may run now begin: others may have died. */
  fill(queue: string, limits: Pick<SlotLimits, 'running'>): Promise<void>
  /** This server's does that now. */
  tell(id: string, doing: JsonObject): Promise<void>
  /** All, or those with these ids, in the order of asking. */
  read(ids?: readonly string[]): Promise<readonly WorkRow[]>
}

/** A question that a server has asked, until it is over. */
export interface QuestionRow extends QuestionKey {
  readonly server: ServerId
  readonly asked: JsonObject
  /** Given through another server, and to be carried out by the one that asked. */
  readonly answer?: JsonObject
}

/** The questions of all servers. Those of a server that has died are gone with it. */
export interface QuestionStore extends Pick<Questions, 'close' | 'answer'> {
  /** Opens one, and gives its number, which its room has never had; or the counts, if these do not let it. */
  open(
    question: Parameters<Questions['open']>[0],
    mayOpen: (counts: QuestionCounts) => boolean,
  ): Promise<number | QuestionCounts>
  /** Removes one of this server's, whatever has become of it. */
  remove(question: QuestionKey): Promise<void>
  /** All, or these, in the order of asking. */
  read(questions?: readonly QuestionKey[]): Promise<readonly QuestionRow[]>
}

/** What all servers of a database have in common. */
export interface CommonStore {
  /** The claim code of all servers: `made`, if there is none. It is forgotten when somebody becomes admin. */
  claimCode(made: string): Promise<string>
  /** Milliseconds since the epoch by the database's clock, with fractions. */
  now(): Promise<number>
}

/** What servers share beside the stores of the core. */
export interface ClusterStores {
  /** This server. */
  readonly server: ServerId
  readonly servers: ServerStore
  readonly present: PresentStore
  readonly changes: Changes
  readonly broadcasts: BroadcastStore
  readonly closings: ClosingStore
  readonly work: WorkStore
  readonly questions: QuestionStore
  readonly common: CommonStore
  /** The newest entry of each of these rooms; rooms without any are left out. */
  newestIn(rooms: readonly RoomName[]): Promise<ReadonlyMap<RoomName, EntryId>>
}
