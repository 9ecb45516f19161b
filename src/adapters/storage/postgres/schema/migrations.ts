import { StorageError } from '../../../../chat/errors.ts'
import { edited, type Migration, newerThan } from '../../migrations.ts'
import { OTHER_VERSION } from '../../rights.ts'
import type { Connections } from '../connection.ts'
import type { Statements } from '../statements.ts'
import { toStorageError } from '../errors.ts'
import { neededSchema } from '../expansion/expansion.ts'
import { MIGRATIONS } from '../locks.ts'
import { IS_OUR_RECORD, RECORD } from './own.ts'
import { raw, sql } from '../sql.ts'
import { ofAnother, takenBefore } from './taken.ts'

/**
 * Brings the database to the newest schema, each migration in a transaction of its own; what fails leaves the schema before it. Of
 * servers that start at once, one migrates and the others wait for it. Rejects with `StorageError`: `newer` if the database knows
 * more than we do, `other` if it is another program's.
 */
export async function migrate(
  connection: Connections,
  migrations: readonly Migration[],
  now: () => number,
): Promise<void> {
  let isDone = false
  while (!isDone)
    isDone = await connection.transaction((tx) => applyNext(tx, migrations, now()), [MIGRATIONS])
}

/** Rejects with `StorageError` if the database does not have exactly the schema of `migrations`. */
export async function requireSchema(statements: Statements, migrations: readonly Migration[]): Promise<void> {
  const applied = await refuseUnfit(statements, migrations)
  if (applied !== migrations.length) throw new StorageError('other', OTHER_VERSION)
}

/** How many migrations were applied. Rejects with `StorageError` if it can never have the schema of `migrations`. */
export async function refuseUnfit(statements: Statements, migrations: readonly Migration[]): Promise<number> {
  const applied = await appliedTo(statements)
  refuseOther(applied, migrations)
  const trouble = await unfitFor(statements, migrations, applied.length)
  // What another server applied meanwhile is ours.
  if (trouble && (await appliedTo(statements)).length === applied.length) throw trouble
  return applied.length
}

/** What keeps the migrations that are not applied from being so. */
const unfitFor = async (
  statements: Statements,
  migrations: readonly Migration[],
  applied: number,
): Promise<StorageError | undefined> =>
  (applied === 0 ? await foreign(statements) : undefined) ??
  (applied < migrations.length ? await takenBefore(statements, migrations, applied) : undefined)

/** True once there is nothing left to apply. */
async function applyNext(tx: Statements, migrations: readonly Migration[], at: number): Promise<boolean> {
  const applied = await refuseUnfit(tx, migrations)
  const next = migrations[applied]
  if (next === undefined) return true
  await tx.run(raw(applied === 0 ? CREATE_RECORD : EXTEND_RECORD))
  await apply(tx, next, at)
  return applied + 1 === migrations.length
}

interface Applied extends Pick<Migration, 'version' | 'sha256'> {
  /** The schema that a program must know at least (expansion.ts). */
  readonly needs: number
}

async function appliedTo(statements: Statements): Promise<readonly Applied[]> {
  const record = await statements.get<{ isOurs: boolean }>(
    sql`SELECT ${IS_OUR_RECORD} AS "isOurs" FROM pg_class WHERE oid = to_regclass(${RECORD})`,
  )
  if (!record) return []
  if (!record.isOurs) throw ofAnother('table', RECORD)
  // A program from before there was such a column wrote rows that need what they are.
  return await statements.all<Applied>(sql`
    SELECT version, sha256, coalesce((to_jsonb(migrations) ->> 'needs')::bigint, version) AS needs FROM migrations ORDER BY version`)
}

function refuseOther(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const needed = Math.max(0, ...applied.slice(migrations.length).map(({ needs }) => needs))
  if (needed > migrations.length) throw newerThan(migrations.length, applied.length)
  for (const [at, { sha256 }] of applied.entries()) {
    const migration = migrations[at]
    if (migration && migration.sha256 !== sha256) throw edited(migration)
  }
}

async function foreign(tx: Statements): Promise<StorageError | undefined> {
  const other = await tx.get<{ name: string }>(
    sql`SELECT tablename::text AS name FROM pg_tables WHERE schemaname = current_schema() LIMIT 1`,
  )
  if (other) return ofAnother('table', other.name)
  const setting = await tx.get<{ encoding: string }>(
    sql`SELECT current_setting('server_encoding') AS encoding`,
  )
  if (setting?.encoding === 'UTF8') return undefined
  return new StorageError('other', 'the database is not in UTF-8; make another with createdb --encoding=UTF8')
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
      VALUES (${version}, ${name}, ${sha256}, ${at}, ${neededSchema({ sql: text })})`)
  } catch (cause) {
    const { reason, forOperators } = toStorageError(cause)
    throw new StorageError(reason, `${name}: ${forOperators}`, { cause })
  }
}

const CREATE_RECORD = `CREATE TABLE migrations (
  version BIGINT PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at BIGINT NOT NULL, needs BIGINT)`

const EXTEND_RECORD = 'ALTER TABLE migrations ADD COLUMN IF NOT EXISTS needs BIGINT'
