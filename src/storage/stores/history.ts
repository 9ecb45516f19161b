import { type Kysely, sql } from 'kysely'
import type { EntryId } from '../../words/entry.ts'
import { type DayStats, type EntryLog, type LogStats, MAX_AUTHORS, MAX_DAYS } from '../../chat/index.ts'
import type { HistoryStore, HistoryRow } from '../../wrap/index.ts'
import { type Database, type Dialect, requireRow, withoutNulls } from '../database.ts'
import type { Tables } from '../tables.ts'
import { type EntryQuery, entryQuery, type FoundRow, inTimeOrder, sizeQuery, toEntry } from './entries.ts'

export function createEntryLog(
  database: Database,
  { append, search }: Pick<EntryLog, 'append' | 'search'>,
): EntryLog {
  const { dialect, read } = database
  return {
    append,
    read: (room, wanted) =>
      read(async (db) => {
        const query: EntryQuery = { ...wanted, room }
        const { rows } = await entryQuery(dialect, query).execute(db)
        return inTimeOrder(rows.map(toEntry), wanted)
      }),
    sizes: (room, wanted) =>
      read(async (db) => {
        const { rows } = await sizeQuery(dialect, { ...wanted, room }).execute(db)
        return inTimeOrder(rows, wanted)
      }),
    search,
    stats: createLogStats(database),
    lastId: () =>
      read(async (db) => {
        const { rows } = await sql<{ id: EntryId | null }>`SELECT max(id) AS id FROM entries`.execute(db)
        return rows[0]?.id ?? undefined
      }),
  }
}

/** Reads the log with the token counts of its entries. */
export function createHistoryStore({ dialect, read, writes }: Database): HistoryStore {
  const { statement } = writes()
  return {
    newest: (room, { maxRows, maxTokens, ...wanted }) =>
      read(async (db) => {
        const query = { ...wanted, room, limit: maxRows, revised: true }
        return (await newestWithin(db, dialect, query, maxTokens)).map(toHistoryRow).toReversed()
      }),
    following: (room, { maxRows, ...wanted }) =>
      read(async (db) => {
        const query = { ...wanted, room, limit: maxRows, oldestFirst: true, revised: true } as const
        const { rows } = await entryQuery(dialect, query).execute(db)
        return rows.map(toHistoryRow)
      }),
    toolCalls: (room) =>
      read(async (db) => {
        const { rows } = await sql<{ readonly tool: string; readonly calls: number }>`
          SELECT tool, calls FROM tool_calls WHERE room = ${room} ORDER BY tool`.execute(db)
        return Object.fromEntries(rows.map(({ tool, calls }) => [tool, calls]))
      }),
    saveCounts: (encoding, counts) =>
      statement(async (db) => {
        // Encodes each pair as a number of ten digits and the id, so that all pairs are one parameter.
        const pairs = [...counts].map(([id, tokens]) => `${String(tokens).padStart(10, '0')}${id}`)
        await sql`
          WITH counted (pair) AS ${dialect.list(pairs)}
          INSERT INTO token_counts (entry, encoding, tokens)
          SELECT id, ${encoding}, cast(substr(pair, 1, 10) as bigint)
          FROM counted JOIN entries ON id = substr(pair, 11) ORDER BY id
          ON CONFLICT (entry, encoding) DO UPDATE SET tokens = excluded.tokens
            WHERE token_counts.tokens <> excluded.tokens`.execute(db)
      }),
  }
}

/** Reads the newest rows until they have more than `maxTokens` tokens, twice as many in each query. */
async function newestWithin(
  db: Kysely<Tables>,
  dialect: Dialect,
  query: EntryQuery,
  maxTokens: number,
): Promise<readonly FoundRow[]> {
  const within: FoundRow[] = []
  let tokens = 0
  let next = query
  for (let piece = dialect.firstRows; ; piece *= 2) {
    const limit = Math.min(piece, query.limit - within.length)
    const { rows } = await entryQuery(dialect, { ...next, limit }).execute(db)
    for (const row of rows) {
      within.push(row)
      tokens += row.tokens ?? minTokens(row.text)
      if (tokens > maxTokens) return within
    }
    const last = rows.at(-1)
    if (rows.length < piece || within.length >= query.limit || !last) return within
    next = { ...query, before: last.id }
  }
}

/** A lower bound, for texts whose tokens were not counted. */
const minTokens = (text: string): number => Buffer.byteLength(text) / 8

const toHistoryRow = (row: FoundRow): HistoryRow =>
  row.tokens == null ? { entry: toEntry(row) } : { entry: toEntry(row), tokens: row.tokens }

interface Totals {
  readonly entries: number
  readonly first: number | null
  readonly last: number | null
}

const createLogStats =
  ({ dialect, read }: Database): EntryLog['stats'] =>
  (room) =>
    read(async (db) => {
      const totals = await sql<Totals>`
        SELECT count(*) AS entries, min(at) AS first, max(at) AS last FROM entries WHERE room = ${room}
      `.execute(db)
      const authors = await sql<LogStats['authors'][number]>`
        SELECT author, count(*) AS entries FROM entries WHERE room = ${room}
        GROUP BY author ORDER BY entries DESC, author LIMIT ${MAX_AUTHORS}`.execute(db)
      // A day may have charges and no entry, because a summary is charged without one.
      const day = dialect.utcDay('at')
      const notRun = sql.raw(dialect.fact('not_run'))
      const days = await sql<DayStats>`
        SELECT day, sum(entries) AS entries, sum(calls) AS calls, sum(replies) AS replies,
          sum(input) AS input, sum(output) AS output
        FROM (
          SELECT ${day} AS day, count(*) AS entries,
            count(*) FILTER (WHERE kind = 'tool_call' AND coalesce(${notRun}, 0) = 0) AS calls,
            count(*) FILTER (WHERE kind = 'reply') AS replies, 0 AS input, 0 AS output
          FROM entries WHERE room = ${room} GROUP BY 1
          UNION ALL
          SELECT ${day}, 0, 0, 0, sum(input), sum(output) FROM charges WHERE room = ${room} GROUP BY 1
        ) AS counted GROUP BY day ORDER BY day DESC LIMIT ${MAX_DAYS}`.execute(db)
      return { ...withoutNulls(requireRow(totals.rows[0])), authors: authors.rows, days: days.rows }
    })
