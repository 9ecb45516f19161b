/**
 * cluster/ lets several servers share the rooms of one database: which servers are alive, who is in a room
 * through which server, what others changed, and the lines of the rooms in order. The database is the truth.
 * A wire only brings news sooner than the poll that reads the database each second, so nobody notices what
 * the wire loses, doubles or delivers late.
 *
 * It must not know which engines these are, how a room is shown, or what a model does. A server that has its
 * database alone runs none of it (chat/local-peers.ts).
 */
import type { EntryId, RoomName } from '../words/entry.ts'
import type { Broadcasts, QuestionCounts, QuestionKey, Questions, SlotLimits, Work } from '../chat/index.ts'
import type { Person, PersonId } from '../words/person.ts'
import type { Brand } from '../base/basics.ts'
import type { JsonObject } from '../base/json.ts'

/** One process, from its start to its end. */
export type ServerId = Brand<'ServerId'>

/**
 * Carries short texts between servers: each at most once, perhaps late or never, in the order of each sender.
 * No method throws or waits.
 */
export interface Wire extends AsyncDisposable {
  /** UTF-8 bytes of the longest text. */
  readonly maxBytes: number
  /** Drops a text that cannot be sent now. A subject is words of `a-z0-9_-`, joined by dots. */
  send(subject: string, text: string): void
  /** Listens to texts under this subject, by this server too. Returns the function that ends it. */
  hear(subject: string, listener: (text: string) => void): () => void
  /** False while the wire is cut off. */
  isUp(): boolean
}

/** What a server stores about itself. */
export interface ServerFacts {
  /** For people: `MACHINE (HOST:PORT)`. Two machines may listen at one address. */
  readonly name: string
  readonly version: string
  /** A hash of all settings that the servers should have alike. */
  readonly config: string
}

export interface ServerRecord extends ServerFacts {
  readonly id: ServerId
}

/** Servers that died, and what remains to be done for them. */
export interface ExpiredServers {
  readonly servers: readonly Pick<ServerRecord, 'id' | 'name'>[]
  /** People who have left a room with these servers, by their current names. */
  readonly left: readonly { readonly room: RoomName; readonly name: string }[]
  /** Questions of these servers, which nobody can answer any more. */
  readonly questions: readonly QuestionRow[]
}

/** The servers of a database. All methods of this file's stores reject with `StorageError` only. */
export interface ServerStore {
  /** Registers this server as running. */
  register(facts: ServerFacts): Promise<void>
  /** Stores changed facts. Resolves to false, and changes nothing, if others have ended its lease. */
  update(facts: ServerFacts): Promise<boolean>
  /** Renews the lease. Resolves to false if others have ended it: then nothing of this server is left. */
  renew(): Promise<boolean>
  /** Ends the lease of this server. */
  end(): Promise<void>
  /**
   * Ends the leases that other servers did not renew for `ms` by the database's clock, each once, whichever
   * server asks. Their people leave the rooms in which they are through no other server.
   */
  expire(ms: number): Promise<ExpiredServers>
  /** Ends the lease of a server that is known to have ended. */
  expireOne(server: ServerId): Promise<ExpiredServers>
  /** Resolves to the living servers, in the order of their start. */
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

/** Stores who is in a room through which server. */
export interface PresentStore {
  /**
   * Stores a person in a room of this server. Resolves to true if the person was there through no server
   * before.
   */
  come(room: RoomName, person: Person): Promise<boolean>
  /** Removes that person. Resolves to true if the person was there, and is there through no other server. */
  go(room: RoomName, person: Person): Promise<boolean>
  /** Resolves to the people who are in these places, or anywhere, through other servers. */
  elsewhere(places?: readonly PersonInRoom[]): Promise<readonly PresentRow[]>
}

/**
 * What can change. Keys are ids of what changed, except for `present` (`PERSON ROOM`), `questions` (`NUMBER
 * ROOM`), `rooms` (rooms whose deletion began or ended), `room_scripts` (names) and `mcp_*` (names of
 * servers). `people`, `keys`, `away`, `ignored` and `preferences` have ids of people. Only `people` also
 * reports this server's own changes.
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
  | 'routines'

/**
 * Reports what other servers changed in the database, so that it is read again. All methods reject with
 * `StorageError` only.
 */
export interface Changes extends AsyncDisposable {
  /**
   * Calls `read` with the keys of what other servers changed, at least once for each change, in any order.
   * Calls `read` with 'all' if changes may have been missed: at the beginning, after the connection was cut,
   * and every 30 seconds. If it rejects with `StorageError`, it is called again a second later.
   */
  on(topic: Topic, read: (keys: readonly never[] | 'all') => Promise<void>): void
  /** Resolves when all topics were read and changes are received. */
  begin(): Promise<void>
  /** Makes all topics read everything again, and resolves when that is done. */
  readAll(): Promise<void>
  /** See `Peers.upToDate`. */
  upToDate(): Promise<void> | undefined
}

export type BroadcastRow = {
  readonly [Kind in keyof Broadcasts]: { readonly kind: Kind; readonly data: Broadcasts[Kind] }
}[keyof Broadcasts]

export interface BroadcastStore {
  send(broadcast: BroadcastRow): Promise<void>
  /** Resolves to the ids of broadcasts by other servers in the last ten minutes. */
  ids(): Promise<readonly string[]>
  /** Resolves to the broadcasts with these ids, in the order of sending. */
  read(ids: readonly string[]): Promise<readonly (BroadcastRow & { readonly id: string })[]>
}

/** Rooms that are being deleted or renamed. Other servers append nothing to their logs. */
export interface ClosingStore {
  /**
   * Marks a room as closed by this server, so that others append nothing to its log; `by` is the reason.
   * Resolves to false, and changes nothing, if another server has closed it or it does not exist.
   */
  close(room: RoomName, by: string): Promise<boolean>
  /** Ends the closing by this server. */
  open(room: RoomName): Promise<void>
  /** Resolves to the rooms that other servers have closed, with a sentence why. */
  closedByOthers(): Promise<ReadonlyMap<RoomName, string>>
  /** True if a person is in the room, or work runs there, through another server. */
  isUsedByOthers(room: RoomName): Promise<boolean>
}

export interface WorkRow extends Work {
  readonly server: ServerId
  /** True if the work has not begun. */
  readonly waits: boolean
  /** The last reported status. */
  readonly doing: JsonObject
  /** Milliseconds since the request, by the database's clock. */
  readonly ageMs: number
}

/**
 * Stores the work of all servers. base/jobs/serial.ts defines the order of a queue. The work of a server that
 * has died is gone with it.
 */
export interface WorkStore {
  /**
   * Begins work on this server, or queues it if the queue is not full. Otherwise resolves to the numbers of
   * running and waiting work.
   */
  take(
    work: Work,
    limits: SlotLimits,
  ): Promise<{ readonly taken: true; readonly waits: boolean } | ({ readonly taken: false } & SlotLimits)>
  /** Removes work that has ended or waits no more, and begins as much as may run now. */
  leave(work: Pick<Work, 'id' | 'queue'>, limits: Pick<SlotLimits, 'running'>): Promise<void>
  /** Begins as much as may run now: other servers may have died. */
  fill(queue: string, limits: Pick<SlotLimits, 'running'>): Promise<void>
  /** Stores the current status of this server's work. */
  tell(id: string, doing: JsonObject): Promise<void>
  /** Resolves to all work, or to work with these ids, in the order of asking. */
  read(ids?: readonly string[]): Promise<readonly WorkRow[]>
}

/** A question that a server has asked, until it is over. */
export interface QuestionRow extends QuestionKey {
  readonly server: ServerId
  readonly asked: JsonObject
  /** Given through another server; the server that asked carries it out. */
  readonly answer?: JsonObject
}

/** The questions of all servers. Questions of a server that has died are gone with it. */
export interface QuestionStore extends Pick<Questions, 'close' | 'answer'> {
  /**
   * Opens a question. Resolves to a number that is new in its room, or to the counts if `mayOpen` rejects
   * them.
   */
  open(
    question: Parameters<Questions['open']>[0],
    mayOpen: (counts: QuestionCounts) => boolean,
  ): Promise<number | QuestionCounts>
  /** Removes a question of this server, whatever has become of it. */
  remove(question: QuestionKey): Promise<void>
  /** Resolves to all questions, or to these, in the order of asking. */
  read(questions?: readonly QuestionKey[]): Promise<readonly QuestionRow[]>
}

/** What all servers of a database have in common. */
export interface CommonStore {
  /**
   * Resolves to the claim code of all servers, or stores `made` if there is none. Forgotten when a person
   * becomes admin.
   */
  claimCode(made: string): Promise<string>
  /** Milliseconds since the epoch by the database's clock, with fractions. */
  now(): Promise<number>
}

/** What servers share beside the stores of the core. */
export interface ClusterStores {
  /** The id of this server. */
  readonly server: ServerId
  readonly servers: ServerStore
  readonly present: PresentStore
  readonly changes: Changes
  readonly broadcasts: BroadcastStore
  readonly closings: ClosingStore
  readonly work: WorkStore
  readonly questions: QuestionStore
  readonly common: CommonStore
  /** Resolves to the newest entry of each room; rooms without entries are left out. */
  newestIn(rooms: readonly RoomName[]): Promise<ReadonlyMap<RoomName, EntryId>>
}
