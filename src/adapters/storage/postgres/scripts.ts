import type { RoomName } from '../../../chat/entry.ts'
import type { ScriptStore, StoredScript } from '../../../prompt/ports.ts'
import type { Connections } from './connection.ts'
import { returned } from './statements.ts'
import { numbersOf } from '../locks.ts'
import { sql } from './sql.ts'

/** Room scripts, all versions. */
export function createScriptStore({ read, writeQueue }: Connections): ScriptStore {
  const writes = writeQueue()
  const newestFirst = (room: RoomName) =>
    sql`SELECT room, version, source, author, at FROM room_scripts WHERE room = ${room} ORDER BY version DESC`
  return {
    current: (room) => read.get<StoredScript>(sql`${newestFirst(room)} LIMIT 1`),
    put: ({ room, source, author, at }) =>
      writes.write(
        async (tx) =>
          returned(
            await tx.get<StoredScript>(sql`
              INSERT INTO room_scripts (room, version, source, author, at)
              SELECT ${room}, coalesce(max(version), 0) + 1, ${source}, ${author}, ${at}::bigint
              FROM room_scripts WHERE room = ${room}
              RETURNING room, version, source, author, at`),
          ),
        numbersOf(room),
      ),
    versions: (room) => read.all<StoredScript>(newestFirst(room)),
  }
}
