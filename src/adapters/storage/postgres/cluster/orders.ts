import type { BroadcastRow, BroadcastStore, ServerId } from '../../../../cluster/stores.ts'
import type { Connections } from '../connection.ts'
import { sql } from '../sql.ts'

/** The table `orders`; old ones are removed with the news of them (news.ts). */
export function createBroadcastStore({ read, writeQueue }: Connections, self: ServerId): BroadcastStore {
  const writes = writeQueue()
  return {
    async send({ kind, data }) {
      await writes.run(
        sql`INSERT INTO orders (server, kind, data) VALUES (${self}, ${kind}, ${JSON.stringify(data)})`,
      )
    },
    async read(ids) {
      const rows = await read.all<{ kind: string; data: string }>(
        sql`SELECT kind, data FROM orders WHERE id = ANY(${ids.map(Number)}::bigint[]) ORDER BY id`,
      )
      return rows.map(({ kind, data }) => ({ kind, data: JSON.parse(data) }) as BroadcastRow)
    },
  }
}
