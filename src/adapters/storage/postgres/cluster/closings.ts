import { sql } from 'kysely'
import type { RoomName } from '../../../../chat/entry.ts'
import type { ClosingStore, ServerId } from '../../../../cluster/stores.ts'
import { type Database, requireRow } from '../../database.ts'
import { roomLog } from '../../locks.ts'

/** The columns `closing_server` and `closing_by` of rooms. Whoever appends to the log of a room looks at them (append.ts). */
export function createClosingStore({ read, writes }: Database, self: ServerId): ClosingStore {
  const { write, statement } = writes()
  return {
    close: (room, by) =>
      write(async (db) => {
        const { numAffectedRows } = await sql`UPDATE rooms SET closing_server = ${self}, closing_by = ${by}
          WHERE name = ${room} AND closing_server IS NULL`.execute(db)
        return numAffectedRows !== 0n
      }, roomLog(room)),
    open: (room) =>
      statement(async (db) => {
        await sql`UPDATE rooms SET closing_server = NULL
          WHERE name = ${room} AND closing_server = ${self}`.execute(db)
      }),
    closedByOthers: () =>
      read(async (db) => {
        const { rows } = await sql<{ name: RoomName; by: string }>`
          SELECT name, closing_by AS by FROM rooms WHERE closing_server <> ${self} ORDER BY name`.execute(db)
        return new Map(rows.map(({ name, by }) => [name, by]))
      }),
    isUsedByOthers: (room) =>
      read(async (db) => {
        const { rows } = await sql<{ isUsed: boolean }>`SELECT
          EXISTS (SELECT 1 FROM present WHERE room = ${room} AND server <> ${self})
          OR EXISTS (SELECT 1 FROM work WHERE room = ${room} AND server <> ${self}) AS "isUsed"`.execute(db)
        return requireRow(rows[0]).isUsed
      }),
  }
}
