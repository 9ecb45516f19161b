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
  readonly engine: 'sqlite'
  readonly file: string
  readonly migrationsDir: string
  readonly clock: Clock
  readonly log: Log
  /** How long to wait for another program's lock; 2000 ms when absent. */
  readonly busyMs?: number
}

/** Storage in one SQLite file, held by this process alone until it is disposed of. Throws `StorageError`. */
export function openSqlite(options: SqliteOptions): Storage {
  try {
    const migrations = readMigrations(options.migrationsDir)
    const held = lock(options.file)
    try {
      const { file, clock, busyMs = 2000 } = options
      const db = openDatabase({ file, migrations, busyMs, now: () => clock.now() })
      options.log.info({ file, schema: migrations.length }, 'database opened')
      return storageOf(createConnection(db), held)
    } catch (error) {
      held[Symbol.dispose]()
      throw error
    }
  } catch (error) {
    throw toStorageError(error)
  }
}

function storageOf(connection: Connection, held: Disposable): Storage {
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
      held[Symbol.dispose]()
    },
  }
}

function rethrow(error: unknown): never {
  throw toStorageError(error)
}
