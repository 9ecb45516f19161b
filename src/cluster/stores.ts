// cluster/ lets servers share one database, which is the truth: a wire only notifies sooner than the poll of
// each second, so it may lose, repeat or delay texts. Must not know the engines, how a room is shown, or what
// a model does. A server alone on its database uses chat/local-peers.ts instead.
import type { EntryId, RoomName } from '../words/entry.ts'
import type { Broadcasts, QuestionCounts, QuestionKey, Questions, SlotLimits, Work } from '../chat/index.ts'
import type { Person, PersonId } from '../words/person.ts'
import type { Brand } from '../base/basics.ts'
import type { JsonObject } from '../base/json.ts'

/** One process, from its start to its end. */
export type ServerId = Brand<'ServerId'>

/**
 * Carries short texts: each at most once, perhaps late, in each sender's order. No method throws or waits.
 */
export interface Wire extends AsyncDisposable {
  /** UTF-8 bytes of the longest text. */
  readonly maxBytes: number
  /** Drops a text that cannot be sent now. A subject is words of `a-z0-9_-`, joined by dots. */
  send(subject: string, text: string): void
  /** Listens to texts under this subject, including this server's own. Returns the function to stop. */
  hear(subject: string, listener: (text: string) => void): () => void
  isUp(): boolean
}

export interface ServerFacts {
  /** For people: `MACHINE (HOST:PORT)`. Two machines may listen at one address. */
  readonly name: string
  readonly version: string
  /** A hash of all settings that should be equal on all servers. */
  readonly config: string
}

export interface ServerRecord extends ServerFacts {
  readonly id: ServerId
}

/** Servers whose leases have expired, and the visits and questions that ended with them. */
export interface ExpiredServers {
  readonly servers: readonly Pick<ServerRecord, 'id' | 'name'>[]
  /** People who have left a room because these servers expired, by their current names. */
  readonly left: readonly { readonly room: RoomName; readonly name: string }[]
  /** Questions of these servers, which nobody can answer any more. */
  readonly questions: readonly QuestionRow[]
}

/** The servers of a database. All methods of this file's stores reject only with `StorageError`. */
export interface ServerStore {
  register(facts: ServerFacts): Promise<void>
  /** Resolves to false, and changes nothing, if another server has ended the lease. */
  update(facts: ServerFacts): Promise<boolean>
  /** Resolves to false if another server has ended the lease, and so removed the rows of this server. */
  renew(): Promise<boolean>
  end(): Promise<void>
  /**
   * Ends the leases that servers did not renew for `ms` by the database's clock, each once among all callers.
   * People of these servers leave each room that they use through no other server.
   */
  expire(ms: number): Promise<ExpiredServers>
  /** Ends the lease of a server that has certainly ended. */
  expireOne(server: ServerId): Promise<ExpiredServers>
  /** Resolves to the servers with a lease, in the order of their starts. */
  alive(): Promise<readonly ServerRecord[]>
}

export interface PersonInRoom {
  readonly room: RoomName
  readonly person: PersonId
}

/** A person in a room through another server. */
export interface PresentRow {
  readonly room: RoomName
  readonly server: ServerId
  readonly person: Person
}

export interface PresentStore {
  /** Resolves to true if the person was in the room through no server before. */
  come(room: RoomName, person: Person): Promise<boolean>
  /** Resolves to true if the person was in the room, and is there through no other server. */
  go(room: RoomName, person: Person): Promise<boolean>
  /** Resolves to presences through other servers: of these people in these rooms, or all if none is given. */
  elsewhere(places?: readonly PersonInRoom[]): Promise<readonly PresentRow[]>
}

/**
 * Keys are IDs of the changed rows, except for `present` (`PERSON ROOM`), `questions` (`NUMBER ROOM`),
 * `rooms` (rooms whose deletion began or ended), `room_scripts` (names) and `mcp_*` (server names). `people`,
 * `keys`, `away`, `ignored` and `preferences` have person IDs. Only `people` also reports own changes.
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

/** Reports other servers' changes in the database. Methods reject with `StorageError` only. */
export interface Changes extends AsyncDisposable {
  /**
   * Calls `read` with the keys of other servers' changes, at least once for each change, in any order; with
   * 'all' if changes may have been missed: at the beginning, after a disconnection, and every 30 seconds.
   * Calls `read` again a second later if it rejects with `StorageError`.
   */
  on(topic: Topic, read: (keys: readonly never[] | 'all') => Promise<void>): void
  /** Resolves when all topics were read and changes are received. */
  begin(): Promise<void>
  /** Makes all topics read everything again. Resolves after the reads. */
  readAll(): Promise<void>
  /** See `Peers.upToDate`. */
  upToDate(): Promise<void> | undefined
}

export type BroadcastRow = {
  readonly [Kind in keyof Broadcasts]: { readonly kind: Kind; readonly data: Broadcasts[Kind] }
}[keyof Broadcasts]

export interface BroadcastStore {
  send(broadcast: BroadcastRow): Promise<void>
  /** Resolves to the IDs of broadcasts by other servers in the last ten minutes. */
  ids(): Promise<readonly string[]>
  /** Resolves to the broadcasts with these IDs, in the order of sending. */
  read(ids: readonly string[]): Promise<readonly (BroadcastRow & { readonly id: string })[]>
}

/** Rooms that are being deleted or renamed. Other servers append nothing to their logs. */
export interface ClosingStore {
  /** `by` is the reason. Resolves to false, without changes, if the room is missing or closed by others. */
  close(room: RoomName, by: string): Promise<boolean>
  open(room: RoomName): Promise<void>
  /** Resolves to the rooms that other servers have closed, with the reasons. */
  closedByOthers(): Promise<ReadonlyMap<RoomName, string>>
  /** True if a person is in the room, or work runs there, through another server. */
  isUsedByOthers(room: RoomName): Promise<boolean>
}

export interface WorkRow extends Work {
  readonly server: ServerId
  readonly waits: boolean
  /** The last reported status. */
  readonly doing: JsonObject
  /** Milliseconds since the request, by the database's clock. */
  readonly ageMs: number
}

/** The work of all servers. base/jobs/serial.ts defines a queue's order. A dead server's work is removed. */
export interface WorkStore {
  /** Begins or queues work; if the queue is full, resolves to the numbers of running and waiting work. */
  take(
    work: Work,
    limits: SlotLimits,
  ): Promise<{ readonly taken: true; readonly waits: boolean } | ({ readonly taken: false } & SlotLimits)>
  /** Removes work that has ended or no longer waits, and begins as much as may run now. */
  leave(work: Pick<Work, 'id' | 'queue'>, limits: Pick<SlotLimits, 'running'>): Promise<void>
  /** Begins as much as may run now, because other servers may have died. */
  fill(queue: string, limits: Pick<SlotLimits, 'running'>): Promise<void>
  /** Stores the current status of this server's work. */
  tell(id: string, doing: JsonObject): Promise<void>
  /** Resolves to all work, or to work with these IDs, in the order of the requests. */
  read(ids?: readonly string[]): Promise<readonly WorkRow[]>
}

/** A question that a server has asked, until it is over. */
export interface QuestionRow extends QuestionKey {
  readonly server: ServerId
  readonly asked: JsonObject
  /** Given through another server; the server that asked carries it out. */
  readonly answer?: JsonObject
}

/** The questions of all servers. A dead server's questions are removed. */
export interface QuestionStore extends Pick<Questions, 'close' | 'answer'> {
  /** Resolves to a number that is new in the question's room, or to the counts if `mayOpen` rejects them. */
  open(
    question: Parameters<Questions['open']>[0],
    mayOpen: (counts: QuestionCounts) => boolean,
  ): Promise<number | QuestionCounts>
  /** Removes a question of this server in any state. */
  remove(question: QuestionKey): Promise<void>
  /** Resolves to all questions, or to these, in the order of asking. */
  read(questions?: readonly QuestionKey[]): Promise<readonly QuestionRow[]>
}

/** Values common to all servers of a database. */
export interface CommonStore {
  /** Resolves to the claim code of all servers, or stores `made`. Deleted when a person becomes admin. */
  claimCode(made: string): Promise<string>
  /** Milliseconds since the epoch by the database's clock, with fractions. */
  now(): Promise<number>
}

/** Stores that servers share besides the core's stores. */
export interface ClusterStores {
  readonly server: ServerId
  readonly servers: ServerStore
  readonly present: PresentStore
  readonly changes: Changes
  readonly broadcasts: BroadcastStore
  readonly closings: ClosingStore
  readonly work: WorkStore
  readonly questions: QuestionStore
  readonly common: CommonStore
  /** Resolves to each room's newest entry; omits rooms without entries. */
  newestIn(rooms: readonly RoomName[]): Promise<ReadonlyMap<RoomName, EntryId>>
}
