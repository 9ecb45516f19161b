import type { RoomName } from '../chat/entry.ts'
import type { Peers } from '../chat/peers.ts'
import type { Alarm, Log } from '../chat/ports.ts'
import type { ClosingStore } from './stores.ts'

/** How often it is looked whether the other servers are done, in milliseconds, and how often at most. */
const LOOK_MS = 50
const LOOKS = 200

/** Closes rooms that are being deleted, on all servers. */
export interface Closings extends Pick<Peers, 'closeRoom' | 'openRoom'> {
  /**
   * What to do when other servers close and open rooms: it gets all that are closed. They are closed here
   * once it returns; it resolves when nobody is in them through this server, and does not reject.
   */
  on(changed: (rooms: ReadonlyMap<RoomName, string>) => Promise<void>): void
  /**
   * Reads again what other servers are deleting, and does not wait for those who are there. Rejects with
   * `StorageError`.
   */
  readAgain(): Promise<void>
}

export function createClosings(store: ClosingStore, clock: Alarm, log: Pick<Log, 'warn'>): Closings {
  let changed: (rooms: ReadonlyMap<RoomName, string>) => Promise<void> = () => Promise.resolve()

  async function untilAllHaveLeft(room: RoomName): Promise<void> {
    for (let looks = 0; looks < LOOKS; looks++) {
      if (await store.haveAllLeft(room)) return
      await new Promise<void>((resolve) => clock.later(LOOK_MS, resolve))
    }
  }

  async function leave(rooms: readonly RoomName[], leaving: Promise<void>): Promise<void> {
    try {
      await leaving
      for (const room of rooms) await store.left(room)
    } catch (error) {
      // The server that waits for it goes on after some seconds.
      log.warn({ error, rooms }, 'another server was not told that nobody is in a room')
    }
  }

  return {
    async closeRoom(room, by) {
      if (!(await store.close(room, by))) return false
      await untilAllHaveLeft(room)
      return true
    },
    openRoom: (room) => store.open(room),
    on: (listener) => void (changed = listener),
    async readAgain() {
      const closed = await store.closedByOthers()
      void leave([...closed.keys()], changed(closed))
    },
  }
}
