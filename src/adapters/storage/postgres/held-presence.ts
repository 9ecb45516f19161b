import type { RoomName } from '../../../chat/entry.ts'
import type { HeldPresence, PresenceChange } from '../../../chat/presence/held-presence.ts'
import { StorageError } from '../../../chat/errors.ts'
import { appendAll } from './append.ts'
import type { WriteQueue } from './write-queue.ts'
import { roomLog } from '../locks.ts'
import { sql } from './sql.ts'

type HeldRow = PresenceChange & { readonly id: number }

/**
 * Comings and goings that wait in the table `held_presence`, in the write queue of the log. `endBatch` is called before each write.
 * Any server may sum up what all of them held.
 */
export function createHeldPresence(writeQueue: WriteQueue, endBatch: () => void): HeldPresence {
  /** What was read last of each room, which is what a sum is made of. */
  const read = new Map<RoomName, readonly number[]>()

  const first = (room: RoomName, limit: number) => sql`
    SELECT id, name, event FROM held_presence WHERE room = ${room} ORDER BY id LIMIT ${Math.max(0, limit)}`

  return {
    hold(room, { name, event }) {
      endBatch()
      // With the lock, a smaller id never appears behind one that was read.
      return writeQueue.write(async (tx) => {
        await tx.run(sql`INSERT INTO held_presence (room, name, event) VALUES (${room}, ${name}, ${event})`)
      }, roomLog(room))
    },
    async held(room, limit) {
      const rows = await writeQueue.read((statements) => statements.all<HeldRow>(first(room, limit)))
      read.set(
        room,
        rows.map(({ id }) => id),
      )
      return rows.map(({ name, event }) => ({ name, event }))
    },
    async sumUp(entry, count) {
      endBatch()
      const appended = await writeQueue.write(async (tx) => {
        const ids = (await tx.all<HeldRow>(first(entry.room, count))).map(({ id }) => id)
        const expected = read.get(entry.room)?.slice(0, Math.max(0, count)) ?? ids
        if (expected.some((id, at) => id !== ids[at])) throw summedUpElsewhere()
        const [place] = await appendAll(tx, [entry])
        await tx.run(sql`DELETE FROM held_presence WHERE id = ANY(${ids})`)
        return place ?? { id: entry.id }
      }, roomLog(entry.room))
      read.delete(entry.room)
      return appended
    },
    roomsWithHeld: async () =>
      (
        await writeQueue.read((statements) =>
          statements.all<{ room: RoomName }>(sql`SELECT DISTINCT room FROM held_presence ORDER BY room`),
        )
      ).map(({ room }) => room),
  }
}

/** Whoever reads again finds what is left. */
const summedUpElsewhere = (): StorageError =>
  new StorageError('locked', 'another server told of these comings and goings at the same time; try again')
