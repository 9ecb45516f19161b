// PostgreSQL's full-text search of entries. Appending also stores an entry's words in a column, so that a
// search finds it at once. chat/text/search-words.ts decides what a word is, without a dictionary.

import { type RawBuilder, sql } from 'kysely'
import type { EntryLog, SearchQuery } from '../../chat/index.ts'
import type { Database } from '../database.ts'
import { type EntryRow, limitOf, toEntry } from '../stores/entries.ts'
import { indexedWords, searchPhrase } from '../../chat/text/index.ts'

/** The newest matches that `best` compares: a frequent word may have a million. */
const MAX_COMPARED = 4_000

// Limits of a tsvector: https://www.postgresql.org/docs/current/textsearch-limitations.html

/** PostgreSQL allows 2046 bytes, which 500 characters of any script fit into. */
const MAX_WORD_CHARS = 500

/** Later positions count as this one. */
const MAX_POSITION = 16_383
const MAX_POSITIONS_OF_WORD = 255

/** PostgreSQL allows a megabyte; only the beginning of a longer text is found. */
const MAX_BYTES = 900_000

export function createEntrySearch({ read }: Database): EntryLog['search'] {
  return async (query) => {
    const words = toQuery(query)
    if (words === undefined || query.rooms.length === 0 || !(query.limit >= 1)) return { entries: [] }
    const isBest = query.prefer === 'best'
    const found = isBest ? best(query, words) : newest(query, words)
    const { rows } = await read((db) => found.execute(db))
    const entries = rows.map(toEntry)
    return { entries: isBest ? entries : entries.toReversed() }
  }
}

/** A text as a `tsvector`: its words with their positions. */
export function toTsVector(text: string): string {
  const positions = new Map<string, number[]>()
  let bytes = 0
  for (const [at, word] of indexedWords(text).map(cut).entries()) {
    const known = positions.get(word)
    bytes += known ? 2 : Buffer.byteLength(word) + 8
    if (bytes > MAX_BYTES) break
    if (!known) positions.set(word, [Math.min(at + 1, MAX_POSITION)])
    else if (known.length < MAX_POSITIONS_OF_WORD && at < MAX_POSITION) known.push(at + 1)
  }
  return [...positions].map(([word, all]) => `'${word}':${all.join(',')}`).join(' ')
}

/** Undefined if no term has a word. Nothing needs escaping, because words contain no quotes. */
function toQuery({ terms }: SearchQuery): string | undefined {
  const phrases = terms.flatMap(({ text, whole }) => {
    const phrase = searchPhrase(text, whole)
    if (!phrase) return []
    const words = phrase.words.map((word) => `'${cut(word)}'`)
    return [`(${words.join(' <-> ')}${phrase.isPrefix ? ':*' : ''})`]
  })
  return phrases.length === 0 ? undefined : phrases.join(' & ')
}

const cut = (word: string): string =>
  word.length <= MAX_WORD_CHARS ? word : [...word].slice(0, MAX_WORD_CHARS).join('')

const COLUMNS = sql`id, room, at, kind, author, text, data`

const newest = (query: SearchQuery, words: string): RawBuilder<EntryRow> =>
  sql`SELECT ${COLUMNS} FROM entries WHERE ${matches(query, words)} ORDER BY id DESC LIMIT ${limitOf(query)}`

/** The rank grows with matches and shrinks with the length of the text. */
const best = (query: SearchQuery, words: string): RawBuilder<EntryRow> => sql`
  SELECT ${COLUMNS} FROM (
    SELECT * FROM entries WHERE ${matches(query, words)} ORDER BY id DESC LIMIT ${MAX_COMPARED}
  ) AS found ORDER BY ts_rank(words, ${words}::tsquery, 1) DESC, id DESC LIMIT ${limitOf(query)}`

const matches = (
  { rooms, before, kinds, withoutThreads, withoutAuthor }: SearchQuery,
  words: string,
): RawBuilder<unknown> => sql`
  words @@ ${words}::tsquery AND room = ANY(${rooms})
  AND (${before ?? null}::text IS NULL OR id < ${before ?? null})
  AND (${kinds ?? null}::text[] IS NULL OR kind = ANY(${kinds ?? null}))
  AND (${withoutAuthor ?? null}::text IS NULL OR author <> ${withoutAuthor ?? null})
  AND (NOT ${withoutThreads === true}::boolean OR thread IS NULL)
  AND NOT EXISTS (SELECT 1 FROM revisions
    WHERE target = coalesce(entries.edits, entries.id) AND revision <> entries.id)`
