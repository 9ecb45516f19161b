/**
 * cluster/ lets several servers share the rooms of one database: who is alive, who is in a room elsewhere, what another
 * server has changed, and the lines of the rooms in their order. The database is the truth. A wire only says sooner what a
 * look at it would say within a second, so whatever the wire loses, doubles or brings late is seen by nobody.
 *
 * It must not know which engines these are, how a room is shown, or what a model does. With one server none of it runs:
 * the core's own ports (chat/ports.ts, chat/presence/elsewhere.ts) have a part for that, too.
 */
import type { EntryId, RoomName } from '../chat/entry.ts'
import type { Person, PersonId } from '../chat/people/person.ts'
import type { Brand } from '../lib/brand.ts'
import type { Json } from '../lib/json.ts'

/** One process, from its start to its end. */
export type ServerId = Brand<'ServerId'>

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

/** A server that runs. */
export interface ServerRecord {
  readonly id: ServerId
  /** Where it listens, for people: `HOST:PORT`. */
  readonly name: string
  readonly version: string
  /** What all servers should have in common, as far as it can be compared: names and hashes. */
  readonly facts: { readonly [name: string]: Json }
}

/** The servers of a database. All methods reject with `StorageError` only. */
export interface ServerStore {
  begin(server: ServerRecord): Promise<void>
  /** Says that it is alive. False if others have taken it for dead: then nothing of it is left. */
  renew(id: ServerId): Promise<boolean>
  /** It stops: its people have left the rooms, as far as they are in them through no other server. */
  end(id: ServerId): Promise<void>
  /**
   * Ends those that were not renewed for so many milliseconds of the database's clock, each once, whoever asks. Resolves to
   * their ids, and the open turns of theirs are the caller's from then on.
   */
  bury(by: ServerId, silentMs: number): Promise<readonly ServerId[]>
  /** In the order of their start. */
  alive(): Promise<readonly ServerRecord[]>
}

/** Somebody who is in a room through a server. */
export interface PresentRow {
  readonly room: RoomName
  readonly server: ServerId
  readonly person: Person
}

/** One person in one room. */
export interface Place {
  readonly room: RoomName
  readonly person: PersonId
}

/** Who is in a room through which server. All methods reject with `StorageError` only. */
export interface PresentStore {
  /** Resolves to whether they were in the room through no other server. */
  come(server: ServerId, room: RoomName, person: Person): Promise<boolean>
  /** Resolves to whether they are in the room through no other server. */
  go(server: ServerId, room: RoomName, person: PersonId): Promise<boolean>
  /** Those who are somewhere through another server than this one: at these places, or at all. */
  elsewhere(than: ServerId, places?: readonly Place[]): Promise<readonly PresentRow[]>
}

/** What can change. A key names what did, as the comment says. */
export type NewsTopic =
  /** Somebody came or went: `PERSON ROOM`. */
  'present'

/** Says what other servers changed in the database, so that it is read again. */
export interface News extends AsyncDisposable {
  /**
   * From now on `again` is called with the keys of what changed: at least once for each change by another server, in any
   * order, and with `all` where more may have changed. Where it rejects it is called with the same keys later.
   */
  on(topic: NewsTopic, again: (keys: readonly string[] | 'all') => Promise<void>): void
  /** Begins to tell what is changed from now on. Resolves once nothing is missed any more. */
  begin(): Promise<void>
}

/** What servers share beside the stores of the core. */
export interface ClusterStores {
  readonly servers: ServerStore
  readonly present: PresentStore
  /** `server`: whose own changes are no news. */
  readonly news: (server: ServerId) => News
  /** The newest entry of each of these rooms; those without any are left out. Rejects with `StorageError`. */
  readonly newestIn: (rooms: readonly RoomName[]) => Promise<ReadonlyMap<RoomName, EntryId>>
}
