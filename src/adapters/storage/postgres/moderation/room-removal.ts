import type { RoomName } from '../../../../chat/entry.ts'
import type { RoomRemoval } from '../../../../chat/moderation/ports.ts'
import type { Connections } from '../connection.ts'
import { sql } from '../sql.ts'

/** Takes rooms away, the long part in pieces so that others can write meanwhile. */
export function createRoomRemoval({ writeQueue }: Connections): RoomRemoval {
  const writes = writeQueue()
  const oldestTurns = (room: RoomName, limit: number) =>
    sql`SELECT id FROM turns WHERE room = ${room} ORDER BY started_at, id LIMIT ${limit}`
  return {
    removeSome: (room, limit) =>
      writes.write(async (tx) => {
        const entries = await tx.run(sql`
          DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE room = ${room} ORDER BY id LIMIT ${limit})`)
        if (entries > 0) return true
        await tx.run(sql`DELETE FROM turn_steps WHERE turn IN (${oldestTurns(room, limit)})`)
        return (await tx.run(sql`DELETE FROM turns WHERE id IN (${oldestTurns(room, limit)})`)) > 0
      }),
    remove: (room) =>
      writes.write(async (tx) => {
        await tx.run(sql`DELETE FROM tool_calls WHERE room = ${room}`)
        await tx.run(sql`UPDATE charges SET room = '' WHERE room = ${room}`)
        // All else that is kept of a room refers to its row, and goes with it.
        await tx.run(sql`DELETE FROM rooms WHERE name = ${room}`)
      }),
  }
}
