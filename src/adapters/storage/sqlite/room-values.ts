import type { RoomName } from '../../../chat/entry.ts'
import type { RoomStore } from '../../../chat/ports.ts'
import { parseJson, type Json } from '../../../lib/json.ts'
import type { Connection } from './connection.ts'

interface ValueRow {
  readonly key: string
  readonly value: string
}

/** The key-values of rooms. */
export function createRoomValues({
  db,
  read,
  write,
}: Connection): Pick<RoomStore, 'getValue' | 'setValue' | 'values'> {
  const get = db.prepare<[RoomName, string], ValueRow>('SELECT * FROM room_values WHERE room = ? AND key = ?')
  const all = db.prepare<[RoomName], ValueRow>('SELECT * FROM room_values WHERE room = ? ORDER BY key')
  const remove = db.prepare<[RoomName, string]>('DELETE FROM room_values WHERE room = ? AND key = ?')
  const set = db.prepare<[RoomName, string, string]>(
    `INSERT INTO room_values (room, key, value) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET value = excluded.value`,
  )
  return {
    getValue: (name, key) =>
      read(() => {
        const row = get.get(name, key)
        return row && parse(row)
      }),
    setValue: (name, key, value) =>
      write(
        () => void (value === undefined ? remove.run(name, key) : set.run(name, key, JSON.stringify(value))),
      ),
    values: (name) => read(() => new Map(all.all(name).map((row) => [row.key, parse(row)]))),
  }
}

const parse = (row: ValueRow): Json => parseJson(row.value)
