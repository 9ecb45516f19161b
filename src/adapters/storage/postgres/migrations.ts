import { StorageError } from '../../../chat/errors.ts'
import type { Migration } from '../migrations.ts'
import { edited, newerThan } from '../schema-errors.ts'
import { OTHER_VERSION } from '../rights.ts'
import type { Connections } from './connection.ts'
import { toStorageError } from './errors.ts'
import { MIGRATIONS } from './locks.ts'
import { raw, sql } from './sql.ts'
import type { Statements } from './statements.ts'

/**
 * Brings the database to the newest schema, each migration in a transaction of its own. A migration that fails
 * changes nothing. Of servers that start at once, one migrates and the others wait for it. Rejects with
 * `StorageError`: `newer` if the database needs a newer program, `read-only` if nothing can be stored.
 */
export async function migrate(
  connection: Connections,
  migrations: readonly Migration[],
  now: () => number,
): Promise<void> {
  await requireWritable(connection.read)
  let isDone = false
  while (!isDone)
    isDone = await connection.transaction((tx) => applyNext(tx, migrations, now()), [MIGRATIONS])
}

/** Rejects with `StorageError` if the database is a standby, is read-only, or cannot store every character. */
export async function requireWritable(statements: Statements): Promise<void> {
  const state = await statements.get<State>(sql`
    SELECT pg_is_in_recovery() AS "isStandby", current_setting('transaction_read_only') AS "readOnly",
      current_setting('server_encoding') AS encoding`)
  if (state?.isStandby) throw new StorageError('read-only', STANDBY)
  if (state?.readOnly === 'on') throw new StorageError('read-only', READ_ONLY)
  if (state?.encoding !== 'UTF8') throw new StorageError('other', OTHER_ENCODING)
}

interface State {
  readonly isStandby: boolean
  readonly readOnly: string
  readonly encoding: string
}

const STANDBY = 'the database is a standby, which only reads; name the primary server in [storage] url'
const READ_ONLY = 'the database only reads: default_transaction_read_only is on; turn it off'
const OTHER_ENCODING = 'the database is not in UTF-8; make another with createdb --encoding=UTF8'

/** Rejects with `StorageError` if the database does not have exactly the schema of `migrations`. */
export async function requireSchema(statements: Statements, migrations: readonly Migration[]): Promise<void> {
  const applied = await countApplied(statements, migrations)
  if (applied !== migrations.length) throw new StorageError('other', OTHER_VERSION)
}

/** How many migrations were applied. Rejects with `StorageError` if `migrations` do not continue them. */
export async function countApplied(
  statements: Statements,
  migrations: readonly Migration[],
): Promise<number> {
  const applied = await readApplied(statements)
  const needed = Math.max(0, ...applied.slice(migrations.length).map(({ needs }) => needs))
  if (needed > migrations.length) throw newerThan(migrations.length, applied.length)
  for (const [at, { sha256 }] of applied.entries()) {
    const migration = migrations[at]
    if (migration && migration.sha256 !== sha256) throw edited(migration)
  }
  return applied.length
}

/** True once there is nothing left to apply. */
async function applyNext(tx: Statements, migrations: readonly Migration[], at: number): Promise<boolean> {
  const applied = await countApplied(tx, migrations)
  const next = migrations[applied]
  if (next === undefined) return true
  await tx.run(raw(applied === 0 ? CREATE_RECORD : EXTEND_RECORD))
  await apply(tx, next, at)
  return applied + 1 === migrations.length
}

interface Applied extends Pick<Migration, 'version' | 'sha256'> {
  /** The oldest schema that a program may know and still use the database. */
  readonly needs: number
}

async function readApplied(statements: Statements): Promise<readonly Applied[]> {
  const record = await statements.get(sql`SELECT WHERE to_regclass('migrations') IS NOT NULL`)
  if (!record) return []
  // Programs from before the column `needs` wrote rows that only their own schema and newer ones satisfy.
  return await statements.all<Applied>(sql`
    SELECT version, sha256, coalesce((to_jsonb(migrations) ->> 'needs')::bigint, version) AS needs
    FROM migrations ORDER BY version`)
}

async function apply(
  tx: Statements,
  { version, name, sha256, sql: text }: Migration,
  at: number,
): Promise<void> {
  try {
    await tx.run(raw(text))
    await tx.run(sql`
      INSERT INTO migrations (version, name, sha256, applied_at, needs)
      VALUES (${version}, ${name}, ${sha256}, ${at}, ${neededSchema(text)})`)
  } catch (cause) {
    const { reason, forOperators } = toStorageError(cause)
    throw new StorageError(reason, `${name}: ${forOperators}`, { cause })
  }
}

/**
 * The schema that every running server must know before a migration is applied, which its line `-- Needs: 7`
 * states. 0 if there is no such line: a migration that only adds disturbs no server.
 */
const neededSchema = (text: string): number => Number(/^-- Needs: (\d+)\s*$/m.exec(text)?.[1] ?? 0)

const CREATE_RECORD = `CREATE TABLE migrations (
  version BIGINT PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at BIGINT NOT NULL, needs BIGINT)`

const EXTEND_RECORD = 'ALTER TABLE migrations ADD COLUMN IF NOT EXISTS needs BIGINT'
