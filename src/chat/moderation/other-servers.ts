// The port for what acts of moderation do on the other servers of the same database.

import type { RoomName } from '../entry.ts'
import type { ClientAct } from './clients-everywhere.ts'
import type { StoppedWork } from './parts.ts'

/** The other servers. What could not be told to them is in the log; only `close` and `open` reject, with `StorageError`. */
export interface OtherServers {
  /** Does this to their clients. */
  clients(act: ClientAct): Promise<void>
  /** Stops what works there. */
  stopWork(work: StoppedWork): Promise<void>
  /**
   * From now on nobody gets into the room there, until it is opened or this server has died; who is there is told that `by` deleted it.
   * Resolves when they are out, or after some seconds: to false, with nothing done, where another server has closed it.
   */
  close(room: RoomName, by: string): Promise<boolean>
  open(room: RoomName): Promise<void>
}

/** Of a server that is alone. */
export const NO_OTHER_SERVERS: OtherServers = {
  clients: () => Promise.resolve(),
  stopWork: () => Promise.resolve(),
  close: () => Promise.resolve(true),
  open: () => Promise.resolve(),
}
