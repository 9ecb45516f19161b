import type { RoomName } from '../../../../chat/entry.ts'
import type { ClosingStore, ServerId } from '../../../../cluster/stores.ts'
import type { Connections } from '../connection.ts'
import { sql } from '../sql.ts'
import { returned } from '../statements.ts'

/** The tables `closings` and `closings_done`. */
export function createClosingStore({ read, writeQueue }: Connections, self: ServerId): ClosingStore {
  const writes = writeQueue()
  return {
    close: async (room, by) =>
      (await writes.run(sql`
        INSERT INTO closings (room, server, "by") VALUES (${room}, ${self}, ${by}) ON CONFLICT (room) DO NOTHING`)) >
      0,
    async open(room) {
      await writes.run(sql`DELETE FROM closings WHERE room = ${room} AND server = ${self}`)
    },
    async closedByOthers() {
      const rows = await read.all<{ room: RoomName; by: string }>(
        sql`SELECT room, "by" FROM closings WHERE server <> ${self} ORDER BY room`,
      )
      return new Map(rows.map(({ room, by }) => [room, by]))
    },
    async left(room) {
      await writes.run(sql`
        INSERT INTO closings_done (room, server) SELECT room, ${self} FROM closings WHERE room = ${room} ON CONFLICT DO NOTHING`)
    },
    async haveAllLeft(room) {
      const row = await read.get<{ all: boolean }>(sql`
        SELECT NOT EXISTS (SELECT 1 FROM servers WHERE id <> ${self} AND NOT EXISTS (
          SELECT 1 FROM closings_done WHERE room = ${room} AND server = servers.id)) AS "all"`)
      return returned(row).all
    },
  }
}
