// One SQLite file, or `:memory:`, as storage: a file for each port of the core, each over one Connection. Only
// driver.ts knows which better-sqlite3 runs here. Rows are the core's own values: nothing here judges them.

import type { Clock, Log } from '../../../chat/ports.ts'
import type { Storage } from '../storage.ts'
import { createConnection } from './connection.ts'
import { toStorageError } from './errors.ts'
import { lockToOpen } from './lock.ts'
import { readMigrations } from '../migrations.ts'
import { openDatabase } from './open-database.ts'
import { createStores } from './stores.ts'

/** Where the database is and what it needs. */
export interface SqliteOptions {
  /** A path, or `:memory:` for a database that ends with the process. */
  readonly file: string
  readonly migrationsDir: string
  readonly clock: Clock
  readonly log: Log
  /** How long to wait for another program's lock; 2000 ms when absent. */
  readonly busyMs?: number
  /** Once it is aborted, a lock is hardly waited for any more: the server stops, and must be done soon. */
  readonly stopping?: AbortSignal | undefined
}

/**
 * Storage in one SQLite file, which this process alone holds until the storage is disposed of, or in memory. All work
 * is done in the caller's thread. Throws `StorageError`.
 */
export function openSqlite(options: SqliteOptions): Storage {
  try {
    return options.file === ':memory:' ? open(options) : openLocked(options)
  } catch (error) {
    throw toStorageError(error)
  }
}

function openLocked(options: SqliteOptions): Storage {
  const locked = lockToOpen(options.file)
  try {
    return open(options, locked)
  } catch (error) {
    locked[Symbol.dispose]()
    throw error
  }
}

function open(
  { file, migrationsDir, clock, log, busyMs = 2000, stopping }: SqliteOptions,
  locked?: Disposable,
): Storage {
  const migrations = readMigrations(migrationsDir)
  const db = openDatabase({ file, migrations, busyMs, now: () => clock.now() })
  log.info({ file, schema: migrations.length }, 'database opened')
  const connection = createConnection(db, () => stopping?.aborted === true)
  return {
    ...createStores(connection),
    async [Symbol.asyncDispose]() {
      connection.close()
      locked?.[Symbol.dispose]()
    },
  }
}
