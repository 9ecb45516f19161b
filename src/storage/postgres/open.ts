// A PostgreSQL database as storage, which several servers may use at once. Unique indexes and locks
// (locks.ts) enforce rules that SQLite keeps because it has one writer.

import { type Kysely, sql } from 'kysely'
import { ulid } from 'ulid'
import { StorageError } from '../../words/errors.ts'
import type { ServerId } from '../../cluster/index.ts'
import type { Clock, Log } from '../../base/environment.ts'
import { requireRow } from '../database.ts'
import { editedMigration, type Migration, newerSchema, otherSchema, readMigrations } from '../migrations.ts'
import type { Storage, StorageTimer, Upkeep } from '../storage.ts'
import { createStores } from '../stores/stores.ts'
import type { Tables } from '../tables.ts'
import { createAppend } from './append.ts'
import { createClusterStores } from './cluster.ts'
import { createPostgresDatabase, type PostgresDatabase } from './database.ts'
import { ONLY_READS, toStorageError } from './errors.ts'
import { MIGRATIONS } from './locks.ts'
import { createEntrySearch } from './search.ts'
import { turnOwnership } from './turn-ownership.ts'

export interface PostgresOptions {
  /** `postgres://USER:PASSWORD@HOST/DATABASE`; it is shown nowhere. */
  readonly url: string
  readonly migrationsDir: string
  readonly clock: Clock
  readonly log: Log
  readonly timed?: StorageTimer | undefined
}

/** Brings the database to the newest schema and opens it. Rejects with `StorageError`. */
export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const { url, migrationsDir, clock, log, timed } = options
  const migrations = readMigrations(migrationsDir)
  // The `application_name` of its connections, which tells triggers which server made a change.
  const server = `sshawl ${ulid()}` as ServerId
  const database = createPostgresDatabase(url, { log, name: server, timed })
  try {
    await migrate(database, migrations, () => clock.now())
    const { host, pathname } = new URL(url)
    log.info({ database: `${host}${pathname}`, schema: migrations.length }, 'database opened')
    return {
      ...createStores(database, {
        append: createAppend(database),
        search: createEntrySearch(database),
        ownership: turnOwnership,
      }),
      upkeep: createUpkeep(database),
      cluster: createClusterStores(database, { url, server, log }),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    }
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

export const useDumpError = (): StorageError =>
  new StorageError(
    'other',
    'the rooms are in PostgreSQL: ' +
      'back them up with pg_dump --format=custom --file=FILE URL, also while servers run',
  )

const createUpkeep = ({ transaction }: PostgresDatabase): Upkeep => ({
  health: () =>
    transaction(async (db) => {
      // A standby answers reads, and stores nothing.
      const { rows } =
        await sql<State>`SELECT current_setting('transaction_read_only') AS "readOnly"`.execute(db)
      if (rows[0]?.readOnly !== 'on') return
      const message = 'the database only reads just now; tell an admin'
      throw new StorageError('read-only', message, { forOperators: ONLY_READS })
    }),
  // PostgreSQL checks its pages by itself as it reads them.
  damage: async () => undefined,
  refreshSearch: async () => undefined,
  // The words are a column of `entries`, so no index has to be rebuilt.
  renewSearch: async () => undefined,
  // Autovacuum makes the space reusable.
  releasePages: async () => false,
})

/** A database that servers may be using meanwhile. */
type Location = Pick<PostgresOptions, 'url' | 'migrationsDir'>

/** Rejects with `StorageError` if the database is away, cannot be written, or needs a newer program. */
export async function checkPostgres({ url, migrationsDir }: Location): Promise<void> {
  await using database = createPostgresDatabase(url)
  await requireWritable(database)
  await database.read((db) => countApplied(db, readMigrations(migrationsDir)))
}

/** Resolves to the rows of the queries, which see the same state. Rejects with `StorageError`. */
export async function queryPostgres<Row>(
  { url, migrationsDir }: Location,
  queries: (listOf: (list: string) => string) => readonly string[],
): Promise<readonly Row[]> {
  const migrations = readMigrations(migrationsDir)
  await using database = createPostgresDatabase(url)
  return await database.transaction(async (db) => {
    await sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`.execute(db)
    await requireSchema(db, migrations)
    const found: Row[] = []
    for (const query of queries((list) => `SELECT json_array_elements_text(${list}::json)`))
      found.push(...(await sql.raw<Row>(query).execute(db)).rows)
    return found
  })
}

/**
 * Migrates the database, one transaction per migration; servers that start at once wait for the first.
 * Rejects with `StorageError`: `newer` if it needs a newer program, `read-only` if nothing can be stored.
 */
export async function migrate(
  database: PostgresDatabase,
  migrations: readonly Migration[],
  now: () => number,
): Promise<void> {
  await requireWritable(database)
  let isDone = false
  while (!isDone) isDone = await database.transaction((db) => applyNext(db, migrations, now()), [MIGRATIONS])
}

interface State {
  readonly isStandby: boolean
  readonly readOnly: string
  readonly encoding: string
}

async function requireWritable({ read }: PostgresDatabase): Promise<void> {
  const { rows } = await read((db) =>
    sql<State>`
      SELECT pg_is_in_recovery() AS "isStandby", current_setting('transaction_read_only') AS "readOnly",
        current_setting('server_encoding') AS encoding`.execute(db),
  )
  const { isStandby, readOnly, encoding } = requireRow(rows[0])
  if (isStandby)
    throw new StorageError(
      'read-only',
      'the database is a standby, which only reads; name the primary server in [storage] url',
    )
  if (readOnly === 'on')
    throw new StorageError(
      'read-only',
      'the database only reads: default_transaction_read_only is on; turn it off',
    )
  if (encoding !== 'UTF8')
    throw new StorageError(
      'other',
      'the database is not in UTF-8; make another with createdb --encoding=UTF8',
    )
}

/** Rejects with `StorageError` if the database does not have exactly the schema of `migrations`. */
export async function requireSchema(db: Kysely<Tables>, migrations: readonly Migration[]): Promise<void> {
  if ((await countApplied(db, migrations)) !== migrations.length) throw otherSchema()
}

interface AppliedMigration extends Pick<Migration, 'version' | 'sha256'> {
  /** The oldest schema that a running program must know to use the database. */
  readonly needs: number
}

/** How many migrations were applied. Rejects with `StorageError` if `migrations` do not continue them. */
async function countApplied(db: Kysely<Tables>, migrations: readonly Migration[]): Promise<number> {
  const table = await sql`SELECT WHERE to_regclass('migrations') IS NOT NULL`.execute(db)
  if (table.rows.length === 0) return 0
  // Rows from before the column `needs` existed require their own schema or a newer one.
  const { rows: applied } = await sql<AppliedMigration>`
    SELECT version, sha256, coalesce((to_jsonb(migrations) ->> 'needs')::bigint, version) AS needs
    FROM migrations ORDER BY version`.execute(db)
  const needed = Math.max(0, ...applied.slice(migrations.length).map(({ needs }) => needs))
  if (needed > migrations.length) throw newerSchema(migrations.length, applied.length)
  for (const [at, { sha256 }] of applied.entries()) {
    const migration = migrations[at]
    if (migration && migration.sha256 !== sha256) throw editedMigration(migration)
  }
  return applied.length
}

/** Applies the next migration. Resolves to true once none is left. */
async function applyNext(db: Kysely<Tables>, migrations: readonly Migration[], at: number): Promise<boolean> {
  const applied = await countApplied(db, migrations)
  const next = migrations[applied]
  if (next === undefined) return true
  const { version, name, sha256, sql: text } = next
  await sql.raw(applied === 0 ? CREATE_RECORD : EXTEND_RECORD).execute(db)
  try {
    await sql.raw(text).execute(db)
    await sql`
      INSERT INTO migrations (version, name, sha256, applied_at, needs)
      VALUES (${version}, ${name}, ${sha256}, ${at}, ${requiredSchema(text)})`.execute(db)
  } catch (cause) {
    const { reason, forOperators } = toStorageError(cause)
    throw new StorageError(reason, `${name}: ${forOperators}`, { cause })
  }
  return applied + 1 === migrations.length
}

/** The schema that all running servers must know first, from `-- Needs: 7`. 0: it disturbs no server. */
const requiredSchema = (text: string): number => Number(/^-- Needs: (\d+)\s*$/m.exec(text)?.[1] ?? 0)

const CREATE_RECORD = `CREATE TABLE migrations (
  version BIGINT PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at BIGINT NOT NULL,
  needs BIGINT)`

const EXTEND_RECORD = 'ALTER TABLE migrations ADD COLUMN IF NOT EXISTS needs BIGINT'
