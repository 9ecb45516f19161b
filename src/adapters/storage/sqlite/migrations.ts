import type { Database } from 'better-sqlite3'
import { StorageError } from '../../../chat/errors.ts'
import type { Migration } from '../migrations.ts'
import { edited, newerThan } from '../schema-errors.ts'
import { toStorageError } from './errors.ts'

/**
 * Brings the database to the newest schema, each migration in a transaction of its own; what fails leaves
 * the schema before it. Throws `StorageError`: `newer` if the database knows more than we do.
 */
export function migrate(db: Database, migrations: readonly Migration[], now: () => number): void {
  const version = versionOf(db)
  refuseNewer(db, migrations.length)
  refuseEdited(db, version, migrations)
  for (const migration of migrations.slice(version)) apply(db, migration, now())
}

/** The schema that a database has: how many migrations were applied to it. */
export const versionOf = (db: Database): number => Number(db.pragma('user_version', { simple: true }))

/** Throws `StorageError` (`newer`) if the database has a schema after `newest`. */
function refuseNewer(db: Database, newest: number): void {
  const version = versionOf(db)
  if (version <= newest) return
  throw newerThan(newest, version)
}

function refuseEdited(db: Database, version: number, migrations: readonly Migration[]): void {
  if (version === 0) return
  const applied = db
    .prepare<[], { version: number; sha256: string }>('SELECT version, sha256 FROM migrations')
    .all()
  for (const { version, sha256 } of applied) {
    const migration = migrations[version - 1]
    if (migration && migration.sha256 !== sha256) throw edited(migration)
  }
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
