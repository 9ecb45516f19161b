// Everything that outlives the server is stored through this folder: the rooms' logs, rooms, people, turns,
// grants, results and scripts. It implements the ports of the core and knows none of its rules: it does not
// decide who may read, what a model is shown or what an entry means. SQL and the driver stay in sqlite/.

import { backupFile } from './sqlite/backup.ts'
import { toStorageError } from './sqlite/errors.ts'
import { openSqlite, type SqliteOptions } from './sqlite/sqlite.ts'
import type { Storage } from './storage.ts'

/** Where the store is, and what it needs. */
export type StorageOptions = SqliteOptions

/**
 * Opens the store; dispose of it to let go of the files. SQLite is the only engine: another one is chosen here.
 * Rejects with `StorageError`: `locked` if another server has the directory, `newer`, `corrupt`, `read-only`,
 * `full`, or `other`, with a sentence that says what to do.
 */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  return openSqlite(options)
}

/**
 * Copies a database to a new file, whether or not a server is using it. Rejects with `StorageError` if there
 * is none, or if `target` exists.
 */
export async function backupDatabase(file: string, target: string): Promise<void> {
  try {
    await backupFile(file, target)
  } catch (error) {
    throw toStorageError(error)
  }
}
