import { existsSync } from 'node:fs'
import { openStorage } from '../../src/storage/open.ts'
import { openFile } from '../../src/storage/sqlite/driver.ts'
import { indexFile } from '../../src/storage/sqlite/search.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { paths } from '../../src/base/paths.ts'
import { sqliteOptions, temporaryDir } from './storage.ts'

/** A store in threads that many tests use one after the other. */
export type EmptiedStorage = Awaited<ReturnType<typeof openEmptiedStorage>>

/** Opens one: threads of its own for each test would take ten times as long as the test. */
export async function openEmptiedStorage() {
  const dir = temporaryDir()
  const options = sqliteOptions(dir.path)
  const storage = await openStorage({ ...options, threadEntry: paths.storageThread })
  return {
    /** The store, with nothing in it. To dispose of it does nothing. */
    async emptied(): Promise<Storage> {
      emptyRows(options.file)
      if (existsSync(indexFile(options.file))) {
        // A thread of the store makes the index some seconds after its start: this waits until it has.
        await storage.upkeep.refreshSearch()
        emptyIndex(indexFile(options.file))
      }
      return { ...storage, async [Symbol.asyncDispose]() {} }
    },
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]()
      dir[Symbol.dispose]()
    },
  }
}

function emptyRows(file: string): void {
  using db = openFile(file, { timeout: 5_000 })
  db.pragma('foreign_keys = OFF')
  const tables = db
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'migrations'",
    )
    .all()
  db.transaction(() => tables.forEach(({ name }) => db.exec(`DELETE FROM "${name}"`)))()
}

/** Of the words of entries: an entry of the next test may have an id that comes before those of the last. */
function emptyIndex(file: string): void {
  using db = openFile(file, { timeout: 5_000 })
  db.exec("INSERT INTO entry_words (entry_words) VALUES ('delete-all')")
}
