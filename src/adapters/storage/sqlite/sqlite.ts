// One SQLite file, or `:memory:`, as storage: a file for each port of the core, each over one Connection. Only
// driver.ts knows which better-sqlite3 runs here. Rows are the core's own values: nothing here judges them.

import type { Clock, Log } from '../../../chat/ports.ts'
import type { Storage } from '../storage.ts'
import { backupOpen } from './backup.ts'
import { createCalibrationStore } from './calibrations.ts'
import { type Connection, createConnection } from './connection.ts'
import { createEntryLog } from './entry-log.ts'
import { toStorageError } from './errors.ts'
import { createGrantStore } from './grants.ts'
import { createHistoryStore } from './history.ts'
import { lock } from './lock.ts'
import { readMigrations } from './migrations.ts'
import { openDatabase } from './open-database.ts'
import { createPeopleStore } from './people.ts'
import { createResultStore } from './results.ts'
import { createRoomStore } from './rooms.ts'
import { createScriptStore } from './scripts.ts'
import { createTurnStore } from './turns.ts'

/** Where the database is and what it needs. */
export interface SqliteOptions {
  /** A path, or `:memory:` for a database that ends with the process. */
  readonly file: string
  readonly migrationsDir: string
  readonly clock: Clock
  readonly log: Log
  /** How long to wait for another program's lock; 2000 ms when absent. */
  readonly busyMs?: number
}

/**
 * Storage in one SQLite file, which this process alone holds until the storage is disposed of, or in memory.
 * Throws `StorageError`.
 */
export function openSqlite(options: SqliteOptions): Storage {
  try {
    return options.file === ':memory:' ? open(options) : openLocked(options)
  } catch (error) {
    throw toStorageError(error)
  }
}

function openLocked(options: SqliteOptions): Storage {
  const locked = lock(options.file)
  try {
    return open(options, locked)
  } catch (error) {
    locked[Symbol.dispose]()
    throw error
  }
}

function open(
  { file, migrationsDir, clock, log, busyMs = 2000 }: SqliteOptions,
  locked?: Disposable,
): Storage {
  const migrations = readMigrations(migrationsDir)
  const db = openDatabase({ file, migrations, busyMs, now: () => clock.now() })
  log.info({ file, schema: migrations.length }, 'database opened')
  return storageOf(createConnection(db), locked)
}

function storageOf(connection: Connection, locked: Disposable | undefined): Storage {
  return {
    log: createEntryLog(connection),
    rooms: createRoomStore(connection),
    people: createPeopleStore(connection),
    turns: createTurnStore(connection),
    grants: createGrantStore(connection),
    calibrations: createCalibrationStore(connection),
    results: createResultStore(connection),
    scripts: createScriptStore(connection),
    history: createHistoryStore(connection),
    health: () => connection.write(() => undefined),
    backup: (file) => backupOpen(connection.db, file).catch(rethrow),
    async [Symbol.asyncDispose]() {
      connection.close()
      locked?.[Symbol.dispose]()
    },
  }
}

function rethrow(error: unknown): never {
  throw toStorageError(error)
}
