// The port for what acts of moderation do on the other servers of the same database.

import type { RoomName } from '../entry.ts'
import type { Fingerprint, PersonId } from '../people/person.ts'

/** Whom an act concerns, in a form that another server can be told. */
export type Whom =
  /** These people, and all who came in with one of these keys. */
  | { readonly people: readonly PersonId[]; readonly keys: readonly Fingerprint[] }
  /** Somebody, where they came in with this key. */
  | { readonly person: PersonId; readonly key: string }
  /** All that came in with this token. */
  | { readonly token: number }

/** What is done to clients. `text` is what they are told. */
export type ClientAct =
  | { readonly act: 'tell' | 'end'; readonly whom: Whom; readonly text: string }
  | { readonly act: 'leave'; readonly room: RoomName; readonly whom: Whom; readonly text: string }

/** Which work is stopped. */
export interface StoppedWork {
  /** Null for all rooms. */
  readonly room: RoomName | null
  /** The names of those for whom it is done; all where it is absent. */
  readonly names?: ReadonlySet<string>
  readonly why: string
}

/** The other servers. What could not be told to them is in the log; only `close`, `open` and `caughtUp` reject, with `StorageError`. */
export interface OtherServers {
  /** Does this to their clients. */
  clients(act: ClientAct): Promise<void>
  /**
   * From now on nobody gets into the room there, until it is opened or this server has died; who is there is told that `by` deleted it.
   * Resolves when they are out, or after some seconds: to false, with nothing done, where another server has closed it.
   */
  close(room: RoomName, by: string): Promise<boolean>
  open(room: RoomName): Promise<void>
  /**
   * Undefined where what they decided of people and rooms was read lately. A server that stood still has not: then it resolves once all
   * of it until now is known here.
   */
  caughtUp(): Promise<void> | undefined
}

/** Of a server that is alone. */
export const NO_OTHER_SERVERS: OtherServers = {
  clients: () => Promise.resolve(),
  close: () => Promise.resolve(true),
  open: () => Promise.resolve(),
  caughtUp: () => undefined,
}
