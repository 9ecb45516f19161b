import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { StorageError } from '../../../chat/errors.ts'
import { toStorageError } from './errors.ts'

/** A numbered change of the schema. */
export interface Migration {
  /** 1, 2, 3, …: the database's `user_version` after it. */
  readonly version: number
  /** The file's name. */
  readonly name: string
  readonly sql: string
  /** Of the file, in hex: a migration that was applied is never edited. */
  readonly sha256: string
}

/** The migrations of a directory, in order. Throws `StorageError` if it cannot be read or a number is missing. */
export function readMigrations(dir: string): readonly Migration[] {
  const names = namesIn(dir).toSorted()
  return names.map((name, index) => {
    if (Number.parseInt(name, 10) !== index + 1) throw misnumbered(dir, name, index + 1)
    const sql = readFileSync(join(dir, name), 'utf8')
    return { version: index + 1, name, sql, sha256: createHash('sha256').update(sql).digest('hex') }
  })
}

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

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => /^\d{3,}-.*\.sql$/.test(name))
  } catch (cause) {
    throw new StorageError('other', `${dir}: cannot read the migrations`, { cause })
  }
}

const misnumbered = (dir: string, name: string, expected: number): StorageError =>
  new StorageError(
    'other',
    `${join(dir, name)}: migration ${expected} should stand here; number them without gaps`,
  )

/** The schema that a database has: how many migrations were applied to it. */
export const versionOf = (db: Database): number => Number(db.pragma('user_version', { simple: true }))

/** Throws `StorageError` (`newer`) if the database has a schema after `newest`. */
function refuseNewer(db: Database, newest: number): void {
  const version = versionOf(db)
  if (version <= newest) return
  throw new StorageError(
    'newer',
    `the database has schema ${version}, written by a newer sshawl; this one knows up to ${newest}: run the newer one, or restore a backup from before it`,
  )
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

const edited = ({ name }: Migration): StorageError =>
  new StorageError(
    'other',
    `${name}: edited after it was applied to this database; restore it and add a new migration`,
  )

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
