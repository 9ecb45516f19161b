import { readMigrations } from '../migrations.ts'
import { type AuditRow, rightsQueries } from '../rights.ts'
import { createConnections } from './connection.ts'
import { requireSchema } from './schema/migrations.ts'
import { explaining } from './role/explaining.ts'
import { lackOf } from './role/role.ts'
import { weaknessesOf } from './role/weaknesses.ts'
import { raw, sql } from './sql.ts'

/** A database that is looked at while servers use it. */
export interface Beside {
  readonly url: string
  readonly migrationsDir: string
}

/** Who may do what where. Rejects with `StorageError`. */
export async function rightsIn({ url, migrationsDir }: Beside, now: number): Promise<readonly AuditRow[]> {
  const migrations = readMigrations(migrationsDir)
  await using connection = createConnections(url, { readsOnly: true })
  const looking = lackOf(connection, migrations, 'reading')
  const lack = await explaining(looking, { url, connection, migrations, use: 'reading' })
  if (lack) throw lack
  return await connection.transaction(async (tx) => {
    await tx.run(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`)
    await requireSchema(tx, migrations)
    const rows: AuditRow[] = []
    for (const query of rightsQueries(now, listed)) rows.push(...(await tx.all<AuditRow>(raw(query))))
    return rows
  })
}

const listed = (list: string): string => `SELECT json_array_elements_text(${list}::json)`

/** What every role of a PostgreSQL may do in a database, because nobody took it from them. */
export interface OpenDatabase {
  /** Quoted for SQL. */
  readonly name: string
  /** They may also make functions among those that the server's statements call. */
  readonly takesFunctions: boolean
}

/** Undefined where only those may connect who were given the right. Rejects with `StorageError`. */
export async function openToAll({ url }: Pick<Beside, 'url'>): Promise<OpenDatabase | undefined> {
  await using connection = createConnections(url)
  return await connection.read.get<OpenDatabase>(sql`
    SELECT quote_ident(current_database()) AS name,
      coalesce(has_schema_privilege('public', current_schema(), 'CREATE'), false) AS "takesFunctions"
    WHERE has_database_privilege('public', current_database(), 'CONNECT')`)
}

/** What a server starts with, and serves worse: a sentence each. Rejects with `StorageError`. */
export async function weaknesses({ url }: Pick<Beside, 'url'>): Promise<readonly string[]> {
  await using connection = createConnections(url)
  return await weaknessesOf(connection)
}

/**
 * Rejects with `StorageError` if a server could not serve with the database: it is away, or of a newer schema, or the role may not do
 * there what a server does.
 */
export async function look({ url, migrationsDir }: Beside): Promise<void> {
  const migrations = readMigrations(migrationsDir)
  await using connection = createConnections(url)
  const lookAt = lackOf(connection, migrations, 'serving')
  const lack = await explaining(lookAt, { url, connection, migrations, use: 'serving' })
  if (lack) throw lack
}
