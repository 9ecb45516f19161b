import { rmSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import type { EntryId, RoomName } from '../../../../chat/entry.ts'
import { toStorageError } from '../errors.ts'
import { touchPrivately } from '../private-file.ts'
import { indexedText } from '../../words/index-words.ts'
import { roomWord } from './match.ts'

/** The words of all entries, in a database of their own that is made anew from the entries whenever it is not right. */
export interface SearchIndex {
  /** Resolves when all entries that were stored before are in it. */
  refresh(): Promise<void>
  /** True where what is in it can be searched, also if it could not be refreshed. */
  isReadable(): boolean
  /** Throws it away. The next `refresh` makes it anew. */
  discard(): void
}

/** The index's file, for the database `file`. */
export const indexFile = (file: string): string => `${file}.search`

/** Entries in one transaction: some 50 ms of work. */
const ENTRIES_PER_SLICE = 1_000

/** Changed with whatever changes the rows of the index: one of another version is made anew. */
const INDEX_VERSION = 1

/**
 * Rows come in the order of ids, so that the newest are the last. Words of two and three letters have lists of their
 * own, since what begins with them is long. The text itself is not kept a second time.
 */
const CREATE_INDEX = `CREATE VIRTUAL TABLE search.entry_words USING fts5(
  entry UNINDEXED, room, words, content = '', contentless_unindexed = 1, tokenize = 'ascii', prefix = '2 3')`

interface IndexedRow {
  readonly id: EntryId
  readonly room: RoomName
  readonly author: string
  readonly text: string
}

/** The index of the entries of an open database, attached to it as `search`. */
export function createSearchIndex(db: Database): SearchIndex {
  let isAttached = false
  let refreshing: Promise<void> | undefined

  /** If it fails, as on a full disk, the next call begins anew. */
  function attach(): void {
    if (isAttached) return
    try {
      attachFile()
      if (isOfThisDatabase()) return
      discard()
      attachFile()
      db.exec(CREATE_INDEX)
      db.pragma(`search.user_version = ${INDEX_VERSION}`)
    } catch (error) {
      detach()
      throw error
    }
  }

  function detach(): void {
    if (isAttached) db.exec('DETACH search')
    isAttached = false
  }

  function attachFile(): void {
    if (!db.memory) touchPrivately(indexFile(db.name))
    db.prepare('ATTACH ? AS search').run(db.memory ? ':memory:' : indexFile(db.name))
    isAttached = true
    // It is made anew after a power cut that breaks it, so that no commit needs to wait for the disk.
    db.pragma('search.journal_mode = WAL')
    db.pragma('search.synchronous = NORMAL')
  }

  /** Ids are never given twice: where the last entry of the index is stored, so are all before it. */
  function isOfThisDatabase(): boolean {
    if (db.pragma('search.user_version', { simple: true }) !== INDEX_VERSION) return false
    const last = lastIndexed()
    return last === '' || db.prepare('SELECT 1 FROM entries WHERE id = ?').get(last) !== undefined
  }

  const lastIndexed = (): string =>
    db
      .prepare<[], { entry: EntryId }>('SELECT entry FROM search.entry_words ORDER BY rowid DESC LIMIT 1')
      .get()?.entry ?? ''

  /** Indexes the next entries; tells how many. */
  function indexSlice(): number {
    attach()
    const rows = db
      .prepare<[string], IndexedRow>(
        `SELECT id, room, author, text FROM entries WHERE id > ? ORDER BY id LIMIT ${ENTRIES_PER_SLICE}`,
      )
      .all(lastIndexed())
    const insert = db.prepare('INSERT INTO search.entry_words (entry, room, words) VALUES (?, ?, ?)')
    db.transaction(() => {
      for (const { id, room, author, text } of rows)
        insert.run(id, roomWord(room), indexedText(`${author}\n${text}`))
    })()
    return rows.length
  }

  /** Others have their turn between slices. */
  async function refreshAll(): Promise<void> {
    while (db.open && sliceOrAnew() === ENTRIES_PER_SLICE) await setImmediate()
  }

  function sliceOrAnew(): number {
    try {
      return indexSlice()
    } catch (error) {
      if (toStorageError(error).reason !== 'corrupt') throw error
      discard()
      return indexSlice()
    }
  }

  function discard(): void {
    detach()
    if (db.memory) return
    for (const end of ['', '-wal', '-shm']) rmSync(`${indexFile(db.name)}${end}`, { force: true })
  }

  return {
    discard,
    isReadable: () => isAttached,
    refresh: async () => {
      refreshing ??= refreshAll().finally(() => (refreshing = undefined))
      await refreshing
    },
  }
}
