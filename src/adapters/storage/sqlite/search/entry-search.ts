// Finding entries by their words, with SQLite's FTS5. The index is a file of its own beside the database: appending
// never waits for it, a backup does not carry it, and it is brought up to date before each search.

import type { Entry } from '../../../../chat/entry.ts'
import { StorageError } from '../../../../chat/errors.ts'
import type { FoundEntries, SearchQuery } from '../../../../chat/ports.ts'
import type { Connection } from '../connection.ts'
import { type EntryRow, toEntry } from '../../rows/entry-row.ts'
import { toStorageError } from '../errors.ts'
import { matchOf } from './match.ts'
import { createSearchIndex } from './search-index.ts'

/** Where the best are wanted, the newest matches that are compared: a word that is in every line has a million. */
const MAX_COMPARED = 4_000

/** Troubles in which the index cannot be written, and can be read. */
const UNWRITABLE: ReadonlySet<StorageError['reason']> = new Set(['full', 'locked', 'read-only'])

/** Searches the entries of one connection, and keeps its index. Both reject with `StorageError` only. */
export interface EntrySearch {
  search(query: SearchQuery): Promise<FoundEntries>
  refresh(): Promise<void>
}

export function createEntrySearch({ db, read }: Connection): EntrySearch {
  const index = createSearchIndex(db)

  function find(query: SearchQuery, match: string): readonly Entry[] {
    const sql = query.prefer === 'best' ? BEST : NEWEST
    const rows = db.prepare<[Values], EntryRow>(sql).all(valuesOf(query, match)).map(toEntry)
    return query.prefer === 'best' ? rows : rows.toReversed()
  }

  async function refresh(): Promise<void> {
    try {
      await read(() => undefined)
      await index.refresh()
    } catch (error) {
      throw toStorageError(error, { reading: true })
    }
  }

  /** Why it cannot be done now. What is in the index already can be searched then. */
  async function tryToRefresh(): Promise<string | undefined> {
    try {
      await refresh()
      return undefined
    } catch (error) {
      if (!(error instanceof StorageError) || !UNWRITABLE.has(error.reason)) throw error
      if (!index.isReadable()) throw withoutIndex(error)
      return error.message
    }
  }

  async function findAnew(query: SearchQuery, match: string): Promise<FoundEntries> {
    const behind = await tryToRefresh()
    const entries = await read(() => find(query, match))
    return behind === undefined ? { entries } : { entries, behind }
  }

  return {
    refresh,
    async search(query) {
      const match = matchOf(query.rooms, query.terms)
      if (match === undefined || !(query.limit >= 1)) return { entries: [] }
      try {
        return await findAnew(query, match)
      } catch (error) {
        if (toStorageError(error).reason !== 'corrupt') throw error
        // If it is the entries that are damaged, the second attempt says so.
        index.discard()
        return await findAnew(query, match)
      }
    },
  }
}

/** What is said while there is nothing to search: nobody searched before the trouble, which keeps the index from being made. */
const withoutIndex = (cause: StorageError): StorageError =>
  new StorageError(
    cause.reason,
    `there is no index to search yet, and none can be made: ${cause.message}; /history works meanwhile`,
    { cause, reading: true },
  )

interface Values {
  readonly match: string
  readonly limit: number
  readonly rooms: string
  readonly before: string | null
  readonly kinds: string | null
  readonly threads: number
}

const valuesOf = ({ rooms, before, kinds, withoutThreads, limit }: SearchQuery, match: string): Values => ({
  match,
  limit: Math.min(Math.floor(limit), Number.MAX_SAFE_INTEGER),
  rooms: JSON.stringify(rooms),
  before: before ?? null,
  kinds: kinds ? JSON.stringify(kinds) : null,
  threads: withoutThreads ? 0 : 1,
})

const COLUMNS = 'entries.id, entries.room, at, kind, author, text, data'

/** The rooms are asked for again: that what may be seen is all that is found must not hang on the index. */
const ASKED_FOR = `entries.room IN (SELECT value FROM json_each(@rooms))
  AND (@before IS NULL OR entries.id < @before)
  AND (@kinds IS NULL OR kind IN (SELECT value FROM json_each(@kinds)))
  AND (@threads OR json_extract(data, '$.thread') IS NULL)
  AND NOT EXISTS (SELECT 1 FROM revisions
    WHERE target = ifnull(json_extract(data, '$.edits'), entries.id) AND revision <> entries.id)`

const NEWEST = `SELECT ${COLUMNS} FROM search.entry_words AS found CROSS JOIN entries ON entries.id = found.entry
  WHERE found.entry_words MATCH @match AND ${ASKED_FOR} ORDER BY found.rowid DESC LIMIT @limit`

/** bm25: the smaller, the better. */
const BEST = `SELECT ${COLUMNS} FROM (
    SELECT entry, bm25(entry_words) AS score FROM search.entry_words
    WHERE entry_words MATCH @match ORDER BY rowid DESC LIMIT ${MAX_COMPARED}
  ) AS found CROSS JOIN entries ON entries.id = found.entry
  WHERE ${ASKED_FOR} ORDER BY score, entries.id DESC LIMIT @limit`
