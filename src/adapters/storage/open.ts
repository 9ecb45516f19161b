import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StorageError } from '../../chat/errors.ts'
import type { AuditRow } from './rights.ts'
import { rightsIn } from './sqlite/audit.ts'
import { backupFile } from './sqlite/backup.ts'
import { firstDamage } from './sqlite/damage.ts'
import { toStorageError } from './sqlite/errors.ts'
import { lock } from './sqlite/lock.ts'
import { openToRead } from './sqlite/open-to-read.ts'
import { readMigrations } from './migrations.ts'
import { restoreFile, type RestoreOptions } from './sqlite/restore.ts'
import { openSqlite, type SqliteOptions } from './sqlite/sqlite.ts'
import { isUrl, useDump, useRestore } from './location.ts'
import type { Storage } from './storage.ts'
import { openThreaded } from './sqlite/threads/open-threaded.ts'

/** Where the store is, and what it needs. */
export interface StorageOptions extends SqliteOptions {
  /**
   * The built sqlite/threads/main.ts: the database is used in threads of its own, so that the caller never
   * waits for a disk. Absent: in the caller's thread, as a database in memory always is.
   */
  readonly threadEntry?: string
  /** Of a PostgreSQL database, which is then used in the place of the file. It may hold a password, and is shown nowhere. */
  readonly url?: string | undefined
}

/**
 * Opens the store; dispose of it to let go of the files. Which engine it is, is chosen here.
 * Rejects with `StorageError`: `locked` if another server has the directory, `newer`, `corrupt`, `read-only`,
 * `full`, or `other`, with a sentence that says what to do.
 */
export async function openStorage({ threadEntry, url, ...options }: StorageOptions): Promise<Storage> {
  if (url !== undefined) {
    const { migrationsDir, clock, log } = options
    // Those who have SQLite do not load it.
    const { openPostgres } = await import('./postgres/postgres.ts')
    return await openPostgres({ url, migrationsDir: ofPostgres(migrationsDir), clock, log })
  }
  if (threadEntry === undefined || options.file === ':memory:') return openSqlite(options)
  return await openThreaded(options, threadEntry)
}

/**
 * Makes this process the only one that serves from the directory of `file`, where the database is elsewhere. However it ends, the next
 * one is let in. Throws `StorageError` (`locked`) if another process serves from there.
 */
export function holdDirectory(file: string): Disposable {
  try {
    return lock(file)
  } catch (error) {
    throw toStorageError(error)
  }
}

/** A database that is there: the path of a file, or the URL of PostgreSQL's. */
export type DatabaseLocation = string

const ofPostgres = (migrationsDir: string): string => join(migrationsDir, 'postgres')

/**
 * Looks through a database, whether or not a server is using it; resolves to the first thing that is wrong, and to
 * undefined where nothing is. Rejects with `StorageError` if there is none, or if it cannot be read. Of PostgreSQL, it only says
 * whether a server could start with it.
 */
export async function damageOf(
  location: DatabaseLocation,
  migrationsDir: string,
): Promise<string | undefined> {
  if (isUrl(location)) {
    const { look } = await import('./postgres/audit.ts')
    await look({ url: location, migrationsDir: ofPostgres(migrationsDir) })
    return undefined
  }
  try {
    using db = openToRead(location)
    return firstDamage(db)
  } catch (error) {
    throw toStorageError(error)
  }
}

/** Who may do what where, by the database. Rejects with `StorageError` if there is none, or of another version. */
export async function auditDatabase(
  location: DatabaseLocation,
  migrationsDir: string,
  now: number,
): Promise<readonly AuditRow[]> {
  if (isUrl(location)) {
    const postgres = await import('./postgres/audit.ts')
    return await postgres.rightsIn({ url: location, migrationsDir: ofPostgres(migrationsDir) }, now)
  }
  if (!existsSync(location))
    throw new StorageError('other', `${location}: there is no database; name its directory with --data`)
  try {
    using db = openToRead(location)
    return rightsIn(db, readMigrations(migrationsDir).length, now)
  } catch (error) {
    throw toStorageError(error)
  }
}

/**
 * Puts a copy of a backup in the place of the database; see `restoreFile`. Rejects with `StorageError`, and then nothing
 * was changed.
 */
export async function restoreDatabase(options: RestoreOptions): Promise<string | undefined> {
  if (isUrl(options.file)) throw useRestore()
  try {
    return restoreFile(options)
  } catch (error) {
    throw toStorageError(error)
  }
}

/**
 * Copies a database to a new file, whether or not a server is using it. Rejects with `StorageError` if there
 * is none, or if `target` exists; of PostgreSQL's it says what to use.
 */
export async function backupDatabase(location: DatabaseLocation, target: string): Promise<void> {
  if (isUrl(location)) throw useDump()
  try {
    backupFile(location, target)
  } catch (error) {
    throw toStorageError(error)
  }
}
