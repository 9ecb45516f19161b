/**
 * cluster/ lets several servers share the rooms of one database: who is alive, who is in a room elsewhere, what another
 * server has changed, and the lines of the rooms in their order. The database is the truth. A wire only says sooner what a
 * look at it would say within a second, so whatever the wire loses, doubles or brings late is seen by nobody.
 *
 * It must not know which engines these are, how a room is shown, or what a model does. With one server none of it runs:
 * the core's own ports (chat/ports.ts, chat/presence/elsewhere.ts) have a part for that, too.
 */
import type { EntryId, RoomName } from '../chat/entry.ts'
import type { ClientAct } from '../chat/moderation/other-servers.ts'
import type { Loan } from '../chat/people/loans.ts'
import type { Fingerprint, Person, PersonId } from '../chat/people/person.ts'
import type { ToldMessage } from '../chat/talk/other-servers.ts'
import type { ServerId } from './server-id.ts'
import type { QuestionRow, QuestionStore, WorkStore } from './work-ports.ts'

/**
 * Carries short texts between servers: each at most once, perhaps late, perhaps never, in the order of sending where one
 * server sends. No method throws or waits.
 */
export interface Wire extends AsyncDisposable {
  /** UTF-8 bytes of the longest text that it takes. */
  readonly maxBytes: number
  /** What cannot be sent now is lost. A subject has letters of `a-z0-9_-`, with dots between words. */
  send(subject: string, text: string): void
  /** Gives what is sent under this subject from now on, by this server, too. Returns the function that ends it. */
  hear(subject: string, listener: (text: string) => void): () => void
  /** False while it is cut off. */
  isUp(): boolean
}

/** What a server says of itself. */
export interface ServerFacts {
  /** Which machine it is and where it listens, for people: `MACHINE (HOST:PORT)`. Two machines may listen at one address. */
  readonly name: string
  readonly version: string
  /** A hash of all that the servers should have alike. */
  readonly config: string
}

/** A server that runs. */
export interface ServerRecord extends ServerFacts {
  readonly id: ServerId
}

/** Servers that died, and what is left to do for them. */
export interface ExpiredServers {
  readonly servers: readonly Pick<ServerRecord, 'id' | 'name'>[]
  /** Rooms in which it must be told that somebody has left: the log holds it (chat/presence/held-presence.ts). */
  readonly rooms: readonly RoomName[]
  /** Their questions, which nobody can answer any more. */
  readonly questions: readonly QuestionRow[]
}

/** The servers of a database. All methods reject with `StorageError` only. */
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
   * Ends the leases that other servers did not renew for so many ms by the database's clock, each once, whichever server
   * asks. Their people have left the rooms in which they are through no other server.
   */
  expire(ms: number): Promise<ExpiredServers>
  /** In the order of their start. */
  alive(): Promise<readonly ServerRecord[]>
}

/** Somebody who is in a room through another server. */
export interface PresentRow {
  readonly room: RoomName
  readonly server: ServerId
  readonly person: Person
}

/** One person in one room. */
export interface PersonInRoom {
  readonly room: RoomName
  readonly person: PersonId
}

/** Who is in a room through which server. Whoever comes first or goes last is held for the log in the same commit. All methods reject with `StorageError` only. */
export interface PresentStore {
  /** They are there through this server. Resolves to whether they were in the room through none before. */
  come(room: RoomName, person: Person): Promise<boolean>
  /** They are not any more. Resolves to whether this ended it: they were, and are in the room through no other. */
  go(room: RoomName, person: Person): Promise<boolean>
  /** Those who are somewhere through other servers: at these places, or at all. */
  elsewhere(places?: readonly PersonInRoom[]): Promise<readonly PresentRow[]>
}

/** What can change. A key names what did, as the comment says. */
export type NewsTopic =
  /** Somebody came or went: `PERSON ROOM`. */
  | 'present'
  /** An order was given: its id. */
  | 'orders'
  /** A ban, a mute or an archive was put or lifted: its id. */
  | 'sanctions'
  /** A room is being deleted, or is not any more: its name. */
  | 'closings'
  /** Somebody has another name or other rights: their id. This server's own changes are told, too. */
  | 'people'
  /** Somebody has one more key: their id. */
  | 'keys'
  /** Somebody is away, or not any more: their id. */
  | 'away'
  /** Somebody ignores others than before: their id. */
  | 'ignored'
  /** Somebody has set something: their id. */
  | 'preferences'
  /** Guests were lent names, or loans do not count any more: the skeletons, each on a line. */
  | 'loans'
  /** Something is at work, or is not any more, or does something else: its id. */
  | 'work'
  /** A question was asked, answered, or is over: `NUMBER ROOM`. */
  | 'questions'
  /** A room has another script: its name. */
  | 'room_scripts'
  /** An admin connected or disconnected an MCP server: its name. */
  | 'mcp_servers'
  /** Another definition of a tool of an MCP server holds: the name of the server. */
  | 'mcp_pins'
  /** News were removed before this server read them: anything may have changed. The key says nothing. */
  | 'lost'

/** Says what other servers changed in the database, so that it is read again. */
export interface News extends AsyncDisposable {
  /**
   * From now on `again` is called with the keys of what changed: at least once for each change by another server, in any
   * order. Where it rejects, it is called with the same keys later. They are strings, of the kind that the topic says.
   */
  on(topic: NewsTopic, again: (keys: readonly never[]) => Promise<void>): void
  /** Begins to tell. Resolves once nothing is missed any more. Rejects with `StorageError`. */
  begin(): Promise<void>
  /**
   * Undefined where news were read lately. A server that stood still, or is cut off, has not: then this resolves once all that others
   * decided of people and rooms until now was taken in, and rejects with `StorageError` where it cannot be read.
   */
  caughtUp(): Promise<void> | undefined
}

/** What the other servers are to do, by kind. Data is JSON. */
export interface OrderKinds {
  /** A turn of a model, or a tool that somebody runs, is to be stopped for this reason. */
  readonly stop: { readonly id: string; readonly reason: string }
  /** Some clients are to be told, ended or taken out of a room. */
  readonly clients: ClientAct
  /** A message to one person is to be shown. */
  readonly message: ToldMessage
  /** A guest is away with this text, or came back. */
  readonly guestAway: { readonly person: PersonId; readonly text: string | null }
  /** Somebody is to be told of their invitations, where they are. */
  readonly invited: { readonly person: PersonId }
}

/** An order, as it was given. */
export type OrderRow = {
  readonly [Kind in keyof OrderKinds]: { readonly kind: Kind; readonly data: OrderKinds[Kind] }
}[keyof OrderKinds]

/** Orders on disk. All methods reject with `StorageError` only. */
export interface OrderStore {
  give(order: OrderRow): Promise<void>
  /** Those with these ids, in the order of giving. */
  read(ids: readonly string[]): Promise<readonly OrderRow[]>
}

/** Rooms that are being deleted. All methods reject with `StorageError` only. */
export interface ClosingStore {
  /** This server deletes a room. False, and nothing done, where another one does. */
  close(room: RoomName, by: string): Promise<boolean>
  /** It does not any more. */
  open(room: RoomName): Promise<void>
  /** The rooms that other servers are deleting, and who does. */
  closedByOthers(): Promise<ReadonlyMap<RoomName, string>>
  /** Nobody is in a room that another server is deleting through this one. */
  left(room: RoomName): Promise<void>
  /** Whether all other servers have said so of this one. */
  haveAllLeft(room: RoomName): Promise<boolean>
}

/** A loan of another server that is alive. */
export interface LoanRow {
  readonly skeleton: string
  readonly key: Fingerprint
}

/** Names that guests were lent. All methods reject with `StorageError` only. */
export interface LoanStore {
  /** False, and nothing done, where another server has lent the name to another key, or somebody has it. */
  lend(loan: Loan): Promise<boolean>
  /** This server has forgotten it. */
  forget(skeleton: string): Promise<void>
  /** The name that another server has lent this key for the one that it asked for. */
  lentBefore(asked: string, key: Fingerprint): Promise<string | undefined>
  /** What other servers have lent: with these skeletons, or all. */
  elsewhere(skeletons?: readonly string[]): Promise<readonly LoanRow[]>
}

/** What all servers of a database have in common. All methods reject with `StorageError` only. */
export interface CommonStore {
  /** The claim code of all servers: `made`, if there is none. It is forgotten when somebody becomes admin. */
  claimCode(made: string): Promise<string>
  /** Milliseconds since the epoch by the database's clock, with fractions. */
  now(): Promise<number>
}

/** What servers must know of each other's people. */
export interface PeopleOfServers {
  readonly closings: ClosingStore
  readonly loans: LoanStore
}

/** What servers share beside the stores of the core. */
export interface ClusterStores {
  /** This server. */
  readonly server: ServerId
  readonly servers: ServerStore
  readonly present: PresentStore
  readonly news: News
  readonly orders: OrderStore
  readonly people: PeopleOfServers
  readonly work: WorkStore
  readonly questions: QuestionStore
  readonly common: CommonStore
  /** The newest entry of each of these rooms; those without any are left out. Rejects with `StorageError`. */
  readonly newestIn: (rooms: readonly RoomName[]) => Promise<ReadonlyMap<RoomName, EntryId>>
}
