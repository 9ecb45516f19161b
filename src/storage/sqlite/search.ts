// Finds entries by their words, with SQLite's FTS5. The index is a separate file beside the database:
// appending never waits for it, backups do not contain it, and each search updates it first.

import { rmSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import type { EntryId, RoomName } from '../../words/entry.ts'
import { StorageError } from '../../words/errors.ts'
import type { FoundEntries, SearchQuery } from '../../chat/index.ts'
import { type EntryRow, limitOf, toEntry } from '../stores/entries.ts'
import { indexedText, searchForms } from '../../chat/text/index.ts'
import { FORMER_KEY, FORMER_KEYS } from '../stores/room-names.ts'
import type { SqliteDatabase } from './database.ts'
import { toStorageError } from './errors.ts'
import { createPrivateFile } from './file.ts'

export const indexFile = (file: string): string => `${file}.search`

/** The newest matches that `best` compares: a frequent word may have a million. */
const MAX_COMPARED = 4_000

/** Entries in one transaction: some 50 ms of work. */
const ENTRIES_PER_SLICE = 1_000

/** Slices that a search waits for: about two seconds. After a large import it answers without the newest entries. */
const SLICES_PER_SEARCH = 40

/** Raise it when the rows of the index change: an index of another version is rebuilt. */
const INDEX_VERSION = 1

/** For these reasons the index cannot be written, but can be read. */
const UNWRITABLE: ReadonlySet<StorageError['reason']> = new Set(['full', 'locked', 'read-only'])

/** Searches the entries, and maintains the index. All methods reject with `StorageError` only. */
export interface EntrySearch {
  search(query: SearchQuery): Promise<FoundEntries>
  /** Resolves when all entries that were stored before are in the index. */
  refresh(): Promise<void>
  /** Rebuilds the index, then resolves as `refresh`. */
  renew(): Promise<void>
}

export function createSearch({ file: db, read }: SqliteDatabase): EntrySearch {
  const index = new SearchIndex(db)

  async function refresh<T>(update: () => Promise<T>): Promise<T> {
    try {
      await read(async () => undefined)
      return await update()
    } catch (error) {
      throw toStorageError(error, { reading: true })
    }
  }

  /** Resolves to the reason if the index lacks entries, but can be searched. */
  async function tryToRefresh(): Promise<string | undefined> {
    try {
      const left = await refresh(() => index.refreshSome())
      return left === 0 ? undefined : `${left} lines are not in the search index yet; try again in a while`
    } catch (error) {
      if (!(error instanceof StorageError) || !UNWRITABLE.has(error.reason)) throw error
      if (index.isAttached) return error.message
      const missing = 'there is no index to search yet, and none can be made'
      const message = `${missing}: ${error.message}; /history works meanwhile`
      throw new StorageError(error.reason, message, { cause: error, reading: true })
    }
  }

  async function find(query: SearchQuery, match: string): Promise<FoundEntries> {
    const behind = await tryToRefresh()
    const isBest = query.prefer === 'best'
    const entries = await read(async () =>
      db
        .prepare<[object], EntryRow>(isBest ? BEST : NEWEST)
        .all({ ...parametersOf(query), match })
        .map(toEntry),
    )
    if (!isBest) entries.reverse()
    return behind === undefined ? { entries } : { entries, behind }
  }

  return {
    refresh: () => refresh(() => index.refresh()),
    async renew() {
      index.discard()
      await refresh(() => index.refresh())
    },
    async search(query) {
      const match = matchOf({ ...query, rooms: withFormerNames(db, query.rooms) })
      if (match === undefined || !(query.limit >= 1)) return { entries: [] }
      try {
        return await find(query, match)
      } catch (error) {
        if (toStorageError(error).reason !== 'corrupt') throw error
        // If the entries and not the index are damaged, the second attempt rejects with that error.
        index.discard()
        return await find(query, match)
      }
    },
  }
}

/** FTS5's syntax: https://www.sqlite.org/fts5.html#full_text_query_syntax. Words have no quotes to escape. */
function matchOf({ rooms, terms }: SearchQuery): string | undefined {
  const phrases = terms.flatMap(({ text, whole }) => {
    const forms = searchForms(text, whole).map(
      ({ words, isPrefix }) => `"${words.join(' ')}"${isPrefix ? ' *' : ''}`,
    )
    return forms.length === 0 ? [] : [`(${forms.join(' OR ')})`]
  })
  if (phrases.length === 0 || rooms.length === 0) return undefined
  const inRooms = rooms.map((room) => `"${roomWord(room)}"`).join(' OR ')
  return `room : (${inRooms}) AND words : (${phrases.join(' AND ')})`
}

/** Adds former names: the index has each entry under the name that its room had at that time. */
const withFormerNames = (db: Database, rooms: readonly RoomName[]): readonly RoomName[] => [
  ...rooms,
  ...db
    .prepare<[string, string], RoomName>(
      `SELECT substr(key, ${FORMER_KEY.length + 1}) FROM room_values
       WHERE room IN (SELECT value FROM json_each(?)) AND key LIKE ?`,
    )
    .pluck()
    .all(JSON.stringify(rooms), FORMER_KEYS),
]

/** A room's name as one word: the index would split it at `-` and `_`. */
export const roomWord = (room: RoomName): string => Buffer.from(room).toString('hex')

const parametersOf = ({
  rooms,
  before,
  kinds,
  withoutThreads,
  withoutAuthor,
  limit,
}: SearchQuery): object => ({
  author: withoutAuthor ?? null,
  limit: limitOf({ limit }),
  rooms: JSON.stringify(rooms),
  before: before ?? null,
  kinds: kinds ? JSON.stringify(kinds) : null,
  threads: withoutThreads ? 0 : 1,
})

const COLUMNS = 'entries.id, entries.room, at, kind, author, text, data'

/** The rooms are compared again: what a person may see must not depend on the index. */
const CONDITIONS = `entries.room IN (SELECT value FROM json_each(@rooms))
  AND (@before IS NULL OR entries.id < @before)
  AND (@kinds IS NULL OR kind IN (SELECT value FROM json_each(@kinds)))
  AND (@author IS NULL OR author <> @author)
  AND (@threads OR json_extract(data, '$.thread') IS NULL)
  AND NOT EXISTS (SELECT 1 FROM revisions
    WHERE target = ifnull(json_extract(data, '$.edits'), entries.id) AND revision <> entries.id)`

const NEWEST = `SELECT ${COLUMNS}
  FROM search.entry_words AS found CROSS JOIN entries ON entries.id = found.entry
  WHERE found.entry_words MATCH @match AND ${CONDITIONS} ORDER BY found.rowid DESC LIMIT @limit`

/** The smaller bm25, the better. */
const BEST = `SELECT ${COLUMNS} FROM (
    SELECT entry, bm25(entry_words) AS score FROM search.entry_words
    WHERE entry_words MATCH @match ORDER BY rowid DESC LIMIT ${MAX_COMPARED}
  ) AS found CROSS JOIN entries ON entries.id = found.entry
  WHERE ${CONDITIONS} ORDER BY score, entries.id DESC LIMIT @limit`

/**
 * Rows are in the order of ids, so that the newest are the last. Prefixes of two and three letters have lists
 * of their own, since many words begin with them. The text itself is not kept a second time.
 */
const CREATE_INDEX = `CREATE VIRTUAL TABLE search.entry_words USING fts5(
  entry UNINDEXED, room, words, content = '', contentless_unindexed = 1, tokenize = 'ascii', prefix = '2 3')`

interface IndexedRow {
  readonly id: EntryId
  readonly room: RoomName
  readonly author: string
  readonly text: string
}

/** The index, attached to the connection as `search`. It is rebuilt from the entries if it is damaged. */
class SearchIndex {
  isAttached = false
  readonly #db: Database
  #refreshing: Promise<void> | undefined
  #slices = 0

  constructor(db: Database) {
    this.#db = db
  }

  async refresh(): Promise<void> {
    this.#refreshing ??= this.#indexAll().finally(() => (this.#refreshing = undefined))
    await this.#refreshing
  }

  /** Waits for `SLICES_PER_SEARCH` slices at most. Resolves to the number of entries that are not indexed yet. */
  async refreshSome(): Promise<number> {
    const last = this.#slices + SLICES_PER_SEARCH
    const refreshing = this.refresh()
    // It fails in a turn in which this waits for the next slice.
    refreshing.catch(() => undefined)
    do await setImmediate()
    while (this.#refreshing && this.#slices < last)
    if (!this.#refreshing) return await refreshing.then(() => 0)
    const left = this.#db.prepare<[string], number>('SELECT count(*) FROM entries WHERE id > ?').pluck()
    return left.get(this.#lastIndexed()) ?? 0
  }

  /** Deletes the index; the next `refresh` rebuilds it. */
  discard(): void {
    this.#detach()
    if (this.#db.memory) return
    for (const end of ['', '-wal', '-shm']) rmSync(`${indexFile(this.#db.name)}${end}`, { force: true })
  }

  /** Lets other calls run between slices. */
  async #indexAll(): Promise<void> {
    while (this.#db.open && this.#indexSliceOrAnew() === ENTRIES_PER_SLICE) await setImmediate()
  }

  #indexSliceOrAnew(): number {
    try {
      return this.#indexSlice()
    } catch (error) {
      if (toStorageError(error).reason !== 'corrupt') throw error
      this.discard()
      return this.#indexSlice()
    }
  }

  /** Returns the number of entries that it indexed. */
  #indexSlice(): number {
    this.#slices++
    this.#attach()
    const rows = this.#db
      .prepare<[string], IndexedRow>(
        `SELECT id, room, author, text FROM entries WHERE id > ? ORDER BY id LIMIT ${ENTRIES_PER_SLICE}`,
      )
      .all(this.#lastIndexed())
    const insert = this.#db.prepare('INSERT INTO search.entry_words (entry, room, words) VALUES (?, ?, ?)')
    this.#db.transaction(() => {
      for (const { id, room, author, text } of rows)
        insert.run(id, roomWord(room), indexedText(`${author}\n${text}`))
    })()
    return rows.length
  }

  #lastIndexed(): string {
    const last = this.#db.prepare<[], { entry: EntryId }>(
      'SELECT entry FROM search.entry_words ORDER BY rowid DESC LIMIT 1',
    )
    return last.get()?.entry ?? ''
  }

  /** After a failure, such as a full disk, the next call tries again. */
  #attach(): void {
    if (this.isAttached) return
    try {
      this.#attachFile()
      if (this.#isOfThisDatabase()) return
      this.discard()
      this.#attachFile()
      this.#db.exec(CREATE_INDEX)
      this.#db.pragma(`search.user_version = ${INDEX_VERSION}`)
    } catch (error) {
      this.#detach()
      throw error
    }
  }

  #attachFile(): void {
    const file = this.#db.memory ? ':memory:' : indexFile(this.#db.name)
    if (!this.#db.memory) createPrivateFile(file)
    this.#db.prepare('ATTACH ? AS search').run(file)
    this.isAttached = true
    // Commits do not wait for the disk: an index that a power cut damages is rebuilt.
    this.#db.pragma('search.journal_mode = WAL')
    this.#db.pragma('search.synchronous = NORMAL')
  }

  #detach(): void {
    if (this.isAttached) this.#db.exec('DETACH search')
    this.isAttached = false
  }

  /** Ids are never reused, so the index is of this database if its last entry is stored here. */
  #isOfThisDatabase(): boolean {
    if (this.#db.pragma('search.user_version', { simple: true }) !== INDEX_VERSION) return false
    const last = this.#lastIndexed()
    return last === '' || this.#db.prepare('SELECT 1 FROM entries WHERE id = ?').get(last) !== undefined
  }
}
