import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { StorageError } from '../../../chat/errors.ts'
import { otherSchema, readMigrations } from '../migrations.ts'
import { isUrl } from '../open.ts'
import { createConnections } from '../postgres/connection.ts'
import { migrate, requireSchema } from '../postgres/open.ts'
import { raw, sql } from '../postgres/sql.ts'
import type { Statements } from '../postgres/statements.ts'
import { toStorageError } from '../sqlite/errors.ts'
import { lockDirectory, lockFile, openReader, versionOf } from '../sqlite/file.ts'
import { openDatabase } from '../sqlite/open.ts'
import { type CopiedRows, copyRows } from './copy.ts'
import { postgresSource, postgresTarget } from './postgres-side.ts'
import { sqliteSource, sqliteTarget, tablesOf } from './sqlite-side.ts'

/** What to copy where: one is a file of SQLite, the other the URL of a PostgreSQL database. */
export interface CopyOptions {
  readonly from: string
  readonly to: string
  /** Of SQLite, with PostgreSQL's in `postgres`. */
  readonly migrationsDir: string
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Copies all that is stored. No server may be using the file. Rejects with `StorageError`, and then nothing was copied: what stands
 * in `to` is an empty database, into which it can be copied again.
 */
export async function copyDatabase(options: CopyOptions): Promise<CopiedRows> {
  try {
    return isUrl(options.to) ? await toPostgres(options) : await toFile(options)
  } catch (error) {
    throw toStorageError(error)
  }
}

async function toPostgres({ from, to, migrationsDir, now }: CopyOptions): Promise<CopiedRows> {
  if (isUrl(from)) throw sameEngine('pg_dump and pg_restore')
  if (!existsSync(from))
    throw new StorageError('other', `${from}: there is no database; name its file with --from`)
  using _ = lockDirectory(from)
  using db = openReader(from, { readonly: false })
  if (versionOf(db) !== readMigrations(migrationsDir).length) throw otherSchema()
  await using connection = createConnections(to)
  const schema = readMigrations(join(migrationsDir, 'postgres'))
  await migrate(connection, schema, now)
  return await connection.transaction(async (tx) => {
    await takeTime(tx)
    await requireSchema(tx, schema)
    return await copyRows(sqliteSource(db), postgresTarget(tx), tablesOf(db))
  })
}

async function toFile({ from, to, migrationsDir, now }: CopyOptions): Promise<CopiedRows> {
  if (!isUrl(from)) throw sameEngine('sshawl backup')
  await using connection = createConnections(from)
  const schema = readMigrations(join(migrationsDir, 'postgres'))
  await connection.transaction((tx) => requireSchema(tx, schema))
  using _ = lockFile(to)
  const migrations = readMigrations(migrationsDir)
  using db = openDatabase({ file: to, migrations, busyMs: 2000, now })
  // The file's transaction is the outer one: nothing that goes wrong there later makes a failure of a copy that is all there.
  return await inTransaction(db, () =>
    connection.transaction(async (tx) => {
      await tx.run(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`)
      await takeTime(tx)
      return await copyRows(postgresSource(tx), sqliteTarget(db), tablesOf(db))
    }),
  )
}

/** A table may be as long as it likes; the limits of a statement are for a server, where people wait. */
async function takeTime(tx: Statements): Promise<void> {
  await tx.run(raw('SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0'))
}

/** Rows come in any order of tables, and whole. */
async function inTransaction<T>(db: Database, work: () => Promise<T>): Promise<T> {
  db.pragma('foreign_keys = OFF')
  db.exec('BEGIN IMMEDIATE')
  try {
    const value = await work()
    db.exec('COMMIT')
    return value
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

const sameEngine = (tool: string): StorageError =>
  new StorageError(
    'other',
    `copy moves between a file and PostgreSQL; name one of each in --from and --to (between two of a kind, use ${tool})`,
  )
