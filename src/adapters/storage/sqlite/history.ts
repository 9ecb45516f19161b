import type { HistoryRow } from '../../../prompt/snapshot.ts'
import type { HistoryStore } from '../../../prompt/ports.ts'
import type { Connection } from './connection.ts'
import { type CountedRow, toHistoryRow } from '../rows/entry-row.ts'
import { createEntryQueries } from './entry-query.ts'

/** Rows of `entries` with what they cost, from `token_counts`. */
export function createHistoryStore({ db, read, write }: Connection): HistoryStore {
  const query = createEntryQueries(db)
  const save = db.prepare<{ encoding: string; id: string; tokens: number }>(
    `INSERT INTO token_counts (entry, encoding, tokens)
     SELECT @id, @encoding, @tokens WHERE EXISTS (SELECT 1 FROM entries WHERE id = @id)
     ON CONFLICT DO UPDATE SET tokens = excluded.tokens WHERE tokens <> excluded.tokens`,
  )
  const toolCalls = db.prepare<[string], { tool: string; calls: number }>(
    'SELECT tool, calls FROM tool_calls WHERE room = ? ORDER BY tool',
  )
  return {
    newest: (room, { maxRows, maxTokens, ...wanted }) =>
      read(() => {
        const { statement, values } = query({ ...wanted, room, limit: maxRows, revised: true })
        return takeWithin(maxTokens, statement.iterate(values)).toReversed()
      }),
    following: (room, { maxRows, ...wanted }) =>
      read(() => {
        const { statement, values } = query({
          ...wanted,
          room,
          limit: maxRows,
          oldestFirst: true,
          revised: true,
        })
        return statement.all(values).map(toHistoryRow)
      }),
    toolCalls: (room) =>
      read(() => Object.fromEntries(toolCalls.all(room).map(({ tool, calls }) => [tool, calls]))),
    saveCounts: (encoding, counts) =>
      write(() => {
        for (const [id, tokens] of counts) save.run({ encoding, id, tokens })
      }),
  }
}

/** Stops pulling rows as soon as those taken hold more than the tokens asked for. */
function takeWithin(maxTokens: number, rows: Iterable<CountedRow>): HistoryRow[] {
  const taken: HistoryRow[] = []
  let total = 0
  for (const row of rows) {
    taken.push(toHistoryRow(row))
    total += row.tokens ?? leastTokens(row.text)
    if (total > maxTokens) break
  }
  return taken
}

/** Fewer than any real text of this length has: of texts that nobody has counted, too many are read. */
const leastTokens = (text: string): number => Buffer.byteLength(text) / 8
