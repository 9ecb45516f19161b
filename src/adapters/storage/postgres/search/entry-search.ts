// Finding entries by their words, with PostgreSQL's full-text search. The words are a column of the entries, written as they are
// appended, so that a search finds everything at once. What a word is decides ../../words, not a dictionary of PostgreSQL.

import type { EntryLog, SearchQuery } from '../../../../chat/ports.ts'
import { type EntryRow, limitOf, toEntry } from '../../rows/entry-row.ts'
import type { Connections } from '../connection.ts'
import { sql, type Sql } from '../sql.ts'
import { soughtWords } from './words.ts'

/** Where the best are wanted, the newest matches that are compared: a word that is in every line has a million. */
const MAX_COMPARED = 4_000

/** Searches the entries. */
export function createEntrySearch({ read }: Connections): EntryLog['search'] {
  return async (query) => {
    const words = soughtWords(query.terms)
    if (words === undefined || query.rooms.length === 0 || !(query.limit >= 1)) return { entries: [] }
    const isBest = query.prefer === 'best'
    const rows = await read.all<EntryRow>(isBest ? best(query, words) : newest(query, words))
    const entries = rows.map(toEntry)
    return { entries: isBest ? entries : entries.toReversed() }
  }
}

const COLUMNS = sql`id, room, at, kind, author, text, data`

const newest = (query: SearchQuery, words: string): Sql =>
  sql`SELECT ${COLUMNS} FROM entries WHERE ${matches(query, words)} ORDER BY id DESC LIMIT ${limitOf(query)}`

/** The rank grows with matches and shrinks with the length of the text. */
const best = (query: SearchQuery, words: string): Sql => sql`
  SELECT ${COLUMNS} FROM (
    SELECT * FROM entries WHERE ${matches(query, words)} ORDER BY id DESC LIMIT ${MAX_COMPARED}
  ) AS found ORDER BY ts_rank(words, ${words}::tsquery, 1) DESC, id DESC LIMIT ${limitOf(query)}`

const matches = ({ rooms, before, kinds, withoutThreads }: SearchQuery, words: string): Sql => sql`
  words @@ ${words}::tsquery AND room = ANY(${rooms})
  AND (${before ?? null}::text IS NULL OR id < ${before ?? null})
  AND (${kinds ?? null}::text[] IS NULL OR kind = ANY(${kinds ?? null}))
  AND (NOT ${withoutThreads === true}::boolean OR thread IS NULL)
  AND NOT EXISTS (SELECT 1 FROM revisions
    WHERE target = coalesce(entries.edits, entries.id) AND revision <> entries.id)`
