import { createMemoryStorage } from './memory/memory.ts'
import { backupFile } from './sqlite/backup.ts'
import { toStorageError } from './sqlite/errors.ts'
import { openSqlite, type SqliteOptions } from './sqlite/sqlite.ts'
import type { Storage } from './storage.ts'

export { checkMigrations } from './sqlite/migrations.ts'

/** Which engine, and where. `memory` keeps nothing: it is for tests and for trying things out. */
export type StorageOptions = SqliteOptions | { readonly engine: 'memory' }

/**
 * Opens the store; dispose of it to let go of the files. Rejects with `StorageError`: `locked` if another
 * server has the directory, `newer`, `corrupt`, `read-only`, `full`, or `other`, with a sentence that says what to do.
 */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  return options.engine === 'memory' ? createMemoryStorage() : openSqlite(options)
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
