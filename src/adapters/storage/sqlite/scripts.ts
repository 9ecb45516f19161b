import type { RoomName } from '../../../chat/entry.ts'
import type { ScriptStore, StoredScript } from '../../../prompt/ports.ts'
import { type Connection, returned } from './connection.ts'

/** Room scripts, all versions. */
export function createScriptStore({ db, read, write }: Connection): ScriptStore {
  const versions = db.prepare<[RoomName], StoredScript>(
    'SELECT * FROM room_scripts WHERE room = ? ORDER BY version DESC',
  )
  const insert = db.prepare<[Omit<StoredScript, 'version'>], StoredScript>(
    `INSERT INTO room_scripts (room, version, source, author, at)
     VALUES (@room, (SELECT ifnull(max(version), 0) + 1 FROM room_scripts WHERE room = @room), @source, @author, @at)
     RETURNING *`,
  )
  return {
    current: (room) => read(() => versions.get(room)),
    put: (script) => write(() => returned(insert.get(script))),
    versions: (room) => read(() => versions.all(room)),
  }
}
