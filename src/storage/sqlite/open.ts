// Storage in one SQLite file, or `:memory:`, in the caller's thread; threads.ts uses other threads.

import type { Database } from 'better-sqlite3'
import { StorageError } from '../../words/errors.ts'
import type { Clock, Log } from '../../base/environment.ts'
import { editedMigration, type Migration, newerSchema, readMigrations } from '../migrations.ts'
import type { Storage, StorageTimer } from '../storage.ts'
import { createSqliteDatabase } from './database.ts'
import { openFile } from './driver.ts'
import { toStorageError } from './errors.ts'
import { APPLICATION_ID, isEmpty, isOurs, lockFile, versionOf } from './file.ts'
import { createStores } from './stores.ts'

export interface SqliteOptions {
  /** A path, or `:memory:` for a database that ends with the process. */
  readonly file: string
  readonly migrationsDir: string
  readonly clock: Clock
  readonly log: Log
  /** How long to wait for another program's lock, in ms; 2000 when absent. */
  readonly busyMs?: number
  /** Once it is aborted, a lock is waited for 100 ms only: the server must end soon. */
  readonly stopping?: AbortSignal | undefined
  readonly timed?: StorageTimer | undefined
}

/** Opens the file, which this process alone uses until the storage is disposed of. Throws `StorageError`. */
export function openSqlite(options: SqliteOptions): Storage {
  const { file, migrationsDir, clock, log, busyMs = 2000, stopping } = options
  const lock = file === ':memory:' ? undefined : lockFile(file)
  try {
    const migrations = readMigrations(migrationsDir)
    const db = openDatabase({ file, migrations, busyMs, now: () => clock.now() })
    log.info({ file, schema: migrations.length }, 'database opened')
    const database = createSqliteDatabase(db, () => stopping?.aborted === true)
    return {
      ...createStores(database),
      async [Symbol.asyncDispose]() {
        await database.close()
        lock?.[Symbol.dispose]()
      },
    }
  } catch (error) {
    lock?.[Symbol.dispose]()
    throw toStorageError(error)
  }
}

export interface DatabaseOptions {
  readonly file: string
  readonly migrations: readonly Migration[]
  readonly busyMs: number
  /** Milliseconds since the epoch: when a migration was applied. */
  readonly now: () => number
}

/**
 * Opens or creates the file, and brings it to the newest schema. Leaves a file that is not ours or is newer
 * as it was. Throws `StorageError`, and errors of SQLite and `node:fs`.
 */
export function openDatabase({ file, migrations, busyMs, now }: DatabaseOptions): Database & Disposable {
  const db = openFile(file, { timeout: busyMs })
  try {
    if (isEmpty(db)) db.pragma('auto_vacuum = INCREMENTAL')
    if (isEmpty(db)) db.pragma(`application_id = ${APPLICATION_ID}`)
    if (!isOurs(db))
      throw new StorageError('other', `${file} is another program's database; choose another data directory`)
    db.pragma('journal_mode = WAL')
    // The log is synced at each commit, so that acknowledged writes survive a power cut, not only a crash.
    db.pragma('synchronous = FULL')
    // Overwrites deleted texts in the file, such as direct messages that were read.
    db.pragma('secure_delete = ON')
    db.pragma('trusted_schema = OFF')
    db.pragma('journal_size_limit = 67108864')
    migrate(db, migrations, now)
    db.pragma('foreign_keys = ON')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Applies each migration in its own transaction. Throws `StorageError`, `newer` for a newer schema. */
function migrate(db: Database, migrations: readonly Migration[], now: () => number): void {
  const version = versionOf(db)
  if (version > migrations.length) throw newerSchema(migrations.length, version)
  const applied =
    version === 0
      ? []
      : db.prepare<[], Pick<Migration, 'version' | 'sha256'>>('SELECT version, sha256 FROM migrations').all()
  for (const { version: number, sha256 } of applied) {
    const migration = migrations[number - 1]
    if (migration && migration.sha256 !== sha256) throw editedMigration(migration)
  }
  for (const migration of migrations.slice(version)) apply(db, migration, now())
}

function apply(db: Database, migration: Migration, at: number): void {
  try {
    db.transaction(() => {
      db.exec(CREATE_RECORD)
      db.exec(migration.sql)
      if (!db.inTransaction) throw new Error('it ends the transaction it runs in')
      db.prepare(
        'INSERT INTO migrations (version, name, sha256, applied_at) VALUES (@version, @name, @sha256, @at)',
      ).run({ ...migration, at })
      db.pragma(`user_version = ${migration.version}`)
    }).exclusive()
  } catch (cause) {
    const { reason, message } = toStorageError(cause)
    throw new StorageError(reason, `${migration.name}: ${message}`, { cause })
  }
}

const CREATE_RECORD = `CREATE TABLE IF NOT EXISTS migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`
