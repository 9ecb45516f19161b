import type { HistoryRow } from '../../../prompt/snapshot.ts'
import type { HistoryStore } from '../../../prompt/ports.ts'
import { estimateTokens } from '../estimate.ts'
import type { Connection } from './connection.ts'
import { createEntryQueries } from './entry-query.ts'
import { type EntryRow, toEntry } from './entry-rows.ts'

type CountedRow = EntryRow & { readonly tokens: number | null }

/** Rows of `entries` with what they cost, from `token_counts`. */
export function createHistoryStore({ db, read, write }: Connection): HistoryStore {
  const query = createEntryQueries(db)
  const save = db.prepare<{ encoding: string; id: string; tokens: number }>(
    `INSERT INTO token_counts (entry, encoding, tokens)
     SELECT @id, @encoding, @tokens WHERE EXISTS (SELECT 1 FROM entries WHERE id = @id)
     ON CONFLICT DO UPDATE SET tokens = excluded.tokens WHERE tokens <> excluded.tokens`,
  )
  return {
    newest: (room, { maxRows, maxTokens, ...wanted }) =>
      read(() => {
        const { statement, values } = query({ ...wanted, room, limit: maxRows })
        return takeWithin(maxTokens, statement.iterate(values) as Iterable<CountedRow>).toReversed()
      }),
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
    total += row.tokens ?? estimateTokens(row.text)
    if (total > maxTokens) break
  }
  return taken
}

const toHistoryRow = (row: CountedRow): HistoryRow =>
  row.tokens === null ? { entry: toEntry(row) } : { entry: toEntry(row), tokens: row.tokens }
