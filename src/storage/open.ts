import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StorageError } from '../words/errors.ts'
import { type AuditRow, rightsQueries } from './audit.ts'
import { otherSchema, readMigrations } from './migrations.ts'
import { toStorageError } from './sqlite/errors.ts'
import { openReader, versionOf } from './sqlite/file.ts'
import type { SqliteOptions } from './sqlite/open.ts'
import { openThreaded } from './sqlite/threads.ts'
import { backupFile, findDamage, restoreFile, type RestoreOptions } from './sqlite/upkeep.ts'
import type { Storage } from './storage.ts'

export { lockDirectory } from './sqlite/file.ts'

export interface StorageOptions extends SqliteOptions {
  /** The built sqlite/thread-main.ts, to run SQLite in threads. A database in memory never uses it. */
  readonly threadEntry?: string
  /** The URL of a PostgreSQL database, used instead of the file. It may contain a password: never show it. */
  readonly url?: string | undefined
}

/**
 * Dispose of the store to release its files. Rejects with a `StorageError` that says what to do: `locked` if
 * another server uses the directory, `newer`, `corrupt`, `read-only`, `full`, or `other`.
 */
export async function openStorage({ threadEntry, url, ...options }: StorageOptions): Promise<Storage> {
  if (url !== undefined) {
    const { migrationsDir, clock, log, timed } = options
    const { openPostgres } = await loadPostgres()
    return await openPostgres({ url, migrationsDir: pgMigrations(migrationsDir), clock, log, timed })
  }
  if (threadEntry === undefined || options.file === ':memory:') {
    const { openSqlite } = await import('./sqlite/open.ts')
    return openSqlite(options)
  }
  return await openThreaded(options, threadEntry)
}

/** Keeps the driver unloaded on servers with SQLite. */
const loadPostgres = () => import('./postgres/open.ts')

const pgMigrations = (migrationsDir: string): string => join(migrationsDir, 'postgres')

/** An existing database: the path of a file, or the URL of PostgreSQL's. */
export type DatabaseLocation = string

export const isUrl = (location: DatabaseLocation): boolean => /^postgres(ql)?:\/\//.test(location)

/**
 * Resolves to the first damage, or undefined, also while a server uses the database. Of PostgreSQL it only
 * checks if a server could start. Rejects with `StorageError` for a missing or unreadable database.
 */
export async function checkDatabase(
  location: DatabaseLocation,
  migrationsDir: string,
): Promise<string | undefined> {
  if (isUrl(location)) {
    const { checkPostgres } = await loadPostgres()
    await checkPostgres({ url: location, migrationsDir: pgMigrations(migrationsDir) })
    return undefined
  }
  return withStorageErrors(() => {
    using db = openReader(location)
    return findDamage(db)
  })
}

/** Rejects with `StorageError` if there is no database, or it is of another version. */
export const auditDatabase = (
  location: DatabaseLocation,
  migrationsDir: string,
  now: number,
): Promise<readonly AuditRow[]> =>
  queryDatabase<AuditRow>(location, migrationsDir, (listOf) => rightsQueries(now, listOf))

/** Rejects as `auditDatabase`. */
export async function roomNamesIn(
  location: DatabaseLocation,
  migrationsDir: string,
): Promise<readonly string[]> {
  const query = (): readonly string[] => ['SELECT name FROM rooms']
  return (await queryDatabase<{ name: string }>(location, migrationsDir, query)).map(({ name }) => name)
}

async function queryDatabase<Row>(
  location: DatabaseLocation,
  migrationsDir: string,
  queries: (listOf: (list: string) => string) => readonly string[],
): Promise<readonly Row[]> {
  if (isUrl(location)) {
    const { queryPostgres } = await loadPostgres()
    return await queryPostgres<Row>({ url: location, migrationsDir: pgMigrations(migrationsDir) }, queries)
  }
  if (!existsSync(location))
    throw new StorageError('other', `${location}: there is no database; name its directory with --data`)
  return withStorageErrors(() => {
    using db = openReader(location)
    if (versionOf(db) !== readMigrations(migrationsDir).length) throw otherSchema()
    const texts = queries((list) => `SELECT value FROM json_each(${list})`)
    return db.transaction(() => texts.flatMap((text) => db.prepare<[], Row>(text).all()))()
  })
}

/** As `restoreFile`. Rejects with `StorageError`, and then nothing was changed. */
export async function restoreDatabase(options: RestoreOptions): Promise<string | undefined> {
  if (isUrl(options.file))
    throw new StorageError(
      'other',
      'the rooms are in PostgreSQL: stop all servers and restore a dump ' +
        'with pg_restore --clean --dbname=URL FILE; a file of SQLite goes into an empty database with sshawl copy',
    )
  return withStorageErrors(() => restoreFile(options))
}

/** A server may use the file. Rejects with `StorageError` for PostgreSQL, no file or existing `target`. */
export async function backupDatabase(location: DatabaseLocation, target: string): Promise<void> {
  if (isUrl(location)) throw (await loadPostgres()).useDumpError()
  withStorageErrors(() => backupFile(location, target))
}

function withStorageErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toStorageError(error)
  }
}
