import type { RoomName } from '../chat/entry.ts'
import type { OtherServers } from '../chat/moderation/other-servers.ts'
import type { Alarm } from '../chat/ports.ts'
import type { ClosingStore } from './ports.ts'

/** How often it is looked whether the other servers are done, in milliseconds, and how often at most. */
const LOOK_MS = 50
const LOOKS = 200

/** Closes rooms that are being deleted, on all servers. */
export interface Closings extends Pick<OtherServers, 'close' | 'open'> {
  /**
   * What to do when other servers close and open rooms: it gets all that are closed, and resolves when nobody is in them through
   * this server.
   */
  on(changed: (rooms: ReadonlyMap<RoomName, string>) => Promise<void>): void
  /** Reads again what other servers are deleting. Rejects with `StorageError`. */
  readAgain(): Promise<void>
}

export function createClosings(store: ClosingStore, clock: Alarm): Closings {
  let changed: (rooms: ReadonlyMap<RoomName, string>) => Promise<void> = () => Promise.resolve()

  async function untilAllHaveLeft(room: RoomName): Promise<void> {
    for (let looks = 0; looks < LOOKS; looks++) {
      if (await store.haveAllLeft(room)) return
      await new Promise<void>((resolve) => clock.later(LOOK_MS, resolve))
    }
  }

  return {
    async close(room, by) {
      if (!(await store.close(room, by))) return false
      await untilAllHaveLeft(room)
      return true
    },
    open: (room) => store.open(room),
    on: (listener) => void (changed = listener),
    async readAgain() {
      const closed = await store.closedByOthers()
      await changed(closed)
      for (const room of closed.keys()) await store.left(room)
    },
  }
}
