import { readMigrations } from '../migrations.ts'
import { type AuditRow, rightsQueries } from '../rights.ts'
import { createConnections } from './connection.ts'
import { refuseUnfit, requireSchema } from './migrations.ts'
import { raw, sql } from './sql.ts'

/** A database that is looked at while servers use it. */
export interface Beside {
  readonly url: string
  readonly migrationsDir: string
}

/** Who may do what where. Rejects with `StorageError`. */
export async function rightsIn({ url, migrationsDir }: Beside, now: number): Promise<readonly AuditRow[]> {
  await using connection = createConnections(url)
  return await connection.transaction(async (tx) => {
    await tx.run(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`)
    await requireSchema(tx, readMigrations(migrationsDir))
    const rows: AuditRow[] = []
    for (const query of rightsQueries(now, listed)) rows.push(...(await tx.all<AuditRow>(raw(query))))
    return rows
  })
}

const listed = (list: string): string => `SELECT json_array_elements_text(${list}::json)`

/**
 * The name of the database, quoted for SQL, if all roles of the PostgreSQL may connect and make functions among those that the server's
 * statements call; otherwise undefined. Rejects with `StorageError`.
 */
export async function openToAll({ url }: Pick<Beside, 'url'>): Promise<string | undefined> {
  await using connection = createConnections(url)
  const row = await connection.read.get<{ name: string }>(sql`
    SELECT quote_ident(current_database()) AS name
    WHERE has_database_privilege('public', current_database(), 'CONNECT')
      AND has_schema_privilege('public', current_schema(), 'CREATE')`)
  return row?.name
}

/** Rejects with `StorageError` if a server could not start with the database: it is away, or of a newer schema. */
export async function look({ url, migrationsDir }: Beside): Promise<void> {
  await using connection = createConnections(url)
  await connection.transaction((tx) => refuseUnfit(tx, readMigrations(migrationsDir)))
}
