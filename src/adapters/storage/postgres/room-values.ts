import type { RoomStore } from '../../../chat/ports.ts'
import { parseJson } from '../../../lib/json.ts'
import type { Connections } from './connection.ts'
import type { WriteQueue } from './write-queue.ts'
import { sql } from './sql.ts'

interface ValueRow {
  readonly key: string
  readonly value: string
}

/** The key-values of rooms. */
export function createRoomValues(
  { read }: Connections,
  writes: WriteQueue,
): Pick<RoomStore, 'getValue' | 'setValue' | 'values'> {
  return {
    async getValue(name, key) {
      const row = await read.get<ValueRow>(
        sql`SELECT key, value FROM room_values WHERE room = ${name} AND key = ${key}`,
      )
      return row && parseJson(row.value)
    },
    async setValue(name, key, value) {
      await writes.run(
        value === undefined
          ? sql`DELETE FROM room_values WHERE room = ${name} AND key = ${key}`
          : sql`INSERT INTO room_values (room, key, value) VALUES (${name}, ${key}, ${JSON.stringify(value)})
                ON CONFLICT (room, key) DO UPDATE SET value = excluded.value`,
      )
    },
    async values(name) {
      const rows = await read.all<ValueRow>(
        sql`SELECT key, value FROM room_values WHERE room = ${name} ORDER BY key`,
      )
      return new Map(rows.map(({ key, value }) => [key, parseJson(value)]))
    },
  }
}
