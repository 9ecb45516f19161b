import { sql } from 'kysely'
import type { BroadcastRow, BroadcastStore, ServerId } from '../../../../cluster/stores.ts'
import type { Database } from '../../database.ts'

/** The table `broadcasts`. Each one removes those that no server needs any more: all have read them or lost their lease. */
export function createBroadcastStore({ read, writes }: Database, self: ServerId): BroadcastStore {
  const { statement } = writes()
  return {
    send: ({ kind, data }) =>
      statement(async (db) => {
        await sql`
          WITH old AS (DELETE FROM broadcasts WHERE id IN (
            SELECT id FROM broadcasts WHERE at < now() - interval '10 minutes' FOR UPDATE SKIP LOCKED))
          INSERT INTO broadcasts (server, kind, data) VALUES (${self}, ${kind}, ${JSON.stringify(data)})`.execute(
          db,
        )
      }),
    ids: () =>
      read(async (db) => {
        const { rows } = await sql<{ id: number }>`SELECT id FROM broadcasts WHERE server <> ${self}`.execute(
          db,
        )
        return rows.map(({ id }) => String(id))
      }),
    read: (ids) =>
      read(async (db) => {
        const { rows } = await sql<{ id: number; kind: string; data: string }>`
          SELECT id, kind, data FROM broadcasts WHERE id = ANY(${ids.map(Number)}::bigint[]) ORDER BY id`.execute(
          db,
        )
        return rows.map(({ id, kind, data }) => {
          const broadcast = { kind, data: JSON.parse(data) } as BroadcastRow
          return { ...broadcast, id: String(id) }
        })
      }),
  }
}
