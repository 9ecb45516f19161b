import type { RoomName } from '../../../../chat/entry.ts'
import type { RoomRemoval } from '../../../../chat/moderation/ports.ts'
import type { Connection } from '../connection.ts'

/** Takes rooms away, the long part in pieces so that others can write meanwhile. */
export function createRoomRemoval({ db, write, emptyLogSoon }: Connection): RoomRemoval {
  const sql = prepare(db)
  return {
    removeSome: (room, limit) =>
      write(() => {
        if (sql.entries.run(room, limit).changes > 0) return true
        sql.steps.run(room, limit)
        return sql.turns.run(room, limit).changes > 0
      }),
    remove: (room) =>
      write(() => {
        sql.toolCalls.run(room)
        sql.charges.run(room)
        // All else that is kept of a room refers to its row, and goes with it.
        sql.room.run(room)
        emptyLogSoon()
      }),
  }
}

const OLDEST_TURNS = 'SELECT id FROM turns WHERE room = ? ORDER BY started_at, id LIMIT ?'

const prepare = (db: Connection['db']) => ({
  entries: db.prepare<[RoomName, number]>(
    'DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE room = ? ORDER BY id LIMIT ?)',
  ),
  steps: db.prepare<[RoomName, number]>(`DELETE FROM turn_steps WHERE turn IN (${OLDEST_TURNS})`),
  turns: db.prepare<[RoomName, number]>(`DELETE FROM turns WHERE id IN (${OLDEST_TURNS})`),
  toolCalls: db.prepare<[RoomName]>('DELETE FROM tool_calls WHERE room = ?'),
  charges: db.prepare<[RoomName]>("UPDATE charges SET room = '' WHERE room = ?"),
  room: db.prepare<[RoomName]>('DELETE FROM rooms WHERE name = ?'),
})
