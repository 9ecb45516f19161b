import type { Database as File } from 'better-sqlite3'
import { createSqliteDatabase, type SqliteDatabase } from './database.ts'

/** The database for the stores that are not yet written for both engines, whose jobs are synchronous. */
export interface Connection {
  readonly db: File
  /** For the stores that both engines share. */
  readonly database: SqliteDatabase
  readonly read: <T>(job: () => T) => Promise<T>
  readonly write: <T>(job: () => T | Promise<T>) => Promise<T>
  readonly emptyLogSoon: () => void
  readonly close: () => Promise<void>
}

/** Takes over an open file. `isStopping` is asked before each commit. */
export function createConnection(db: File, isStopping?: () => boolean): Connection {
  const database = createSqliteDatabase(db, isStopping)
  return {
    db,
    database,
    read: (job) => database.read(async () => job()),
    write: (job) => database.write(async () => await job()),
    emptyLogSoon: database.truncateWalSoon,
    close: database.close,
  }
}

/** The row that a statement ending in RETURNING always gives. */
export { requireRow as returned } from '../database.ts'
