import type { OrderRow, OrderStore } from '../../../../cluster/ports.ts'
import type { ServerId } from '../../../../cluster/server-id.ts'
import type { Connections } from '../connection.ts'
import { sql } from '../sql.ts'

/** The table `orders`; old ones are removed with the news of them (news.ts). */
export function createOrderStore({ read, writeQueue }: Connections, self: ServerId): OrderStore {
  const writes = writeQueue()
  return {
    async give({ kind, data }) {
      await writes.run(
        sql`INSERT INTO orders (server, kind, data) VALUES (${self}, ${kind}, ${JSON.stringify(data)})`,
      )
    },
    async read(ids) {
      const rows = await read.all<{ kind: string; data: string }>(
        sql`SELECT kind, data FROM orders WHERE id = ANY(${ids.map(Number)}::bigint[]) ORDER BY id`,
      )
      return rows.map(({ kind, data }) => ({ kind, data: JSON.parse(data) }) as OrderRow)
    },
  }
}
