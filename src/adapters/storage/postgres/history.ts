import type { HistoryStore } from '../../../prompt/ports.ts'
import { toHistoryRow } from '../rows/entry-row.ts'
import type { Connections } from './connection.ts'
import { rowsOf, rowsWithin } from './entry-query.ts'
import { sql } from './sql.ts'

/** Rows of `entries` with what they cost, from `token_counts`. */
export function createHistoryStore({ read, writeQueue }: Connections): HistoryStore {
  const writes = writeQueue()
  return {
    newest: async (room, { maxRows, maxTokens, ...wanted }) => {
      const query = { ...wanted, room, limit: maxRows, revised: true }
      return (await rowsWithin(read, query, maxTokens)).map(toHistoryRow).toReversed()
    },
    following: async (room, { maxRows, ...wanted }) => {
      const query = { ...wanted, room, limit: maxRows, oldestFirst: true, revised: true } as const
      return (await rowsOf(read, query)).map(toHistoryRow)
    },
    toolCalls: async (room) => {
      const rows = await read.all<{ tool: string; calls: number }>(
        sql`SELECT tool, calls FROM tool_calls WHERE room = ${room} ORDER BY tool`,
      )
      return Object.fromEntries(rows.map(({ tool, calls }) => [tool, calls]))
    },
    saveCounts: async (encoding, counts) => {
      const ids = [...counts.keys()].toSorted()
      const tokens = ids.map((id) => counts.get(id))
      await writes.run(sql`
        INSERT INTO token_counts (entry, encoding, tokens)
        SELECT id, ${encoding}, tokens FROM unnest(${ids}::text[], ${tokens}::bigint[]) AS counted (id, tokens)
        JOIN entries USING (id)
        ON CONFLICT (entry, encoding) DO UPDATE SET tokens = excluded.tokens
          WHERE token_counts.tokens <> excluded.tokens`)
    },
  }
}
