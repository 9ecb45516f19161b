import { StorageError } from '../../../chat/errors.ts'
import { readMigrations } from '../migrations.ts'
import { type AuditRow, rightsQueries } from '../rights.ts'
import { createConnections } from './connection.ts'
import { refuseUnfit, requireSchema } from './migrations.ts'
import { raw, sql } from './sql.ts'
import { returned } from './statements.ts'

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

/**
 * Rejects with `StorageError` if a server could not serve with the database: it is away, or of a newer schema, or the role may not do
 * there what a server does.
 */
export async function look({ url, migrationsDir }: Beside): Promise<void> {
  await using connection = createConnections(url)
  await connection.transaction(async (tx) => {
    const migrations = readMigrations(migrationsDir)
    const applied = await refuseUnfit(tx, migrations)
    const { role, schema, mayMake, unowned, unusable } = returned(await tx.get<Rights>(RIGHTS))
    const to = `run there: GRANT`
    if (applied < migrations.length && !mayMake)
      throw mayNot(role, 'make tables', `${to} USAGE, CREATE ON SCHEMA ${schema} TO ${role}`)
    if (applied < migrations.length && unowned !== null)
      throw mayNot(role, `change the table ${unowned}`, 'start this version with the role that owns it')
    if (applied > 0 && unusable !== null)
      throw mayNot(
        role,
        `read and write the table ${unusable}`,
        `${to} SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
      )
  })
}

/** Names are quoted for SQL. */
interface Rights {
  readonly role: string
  readonly schema: string
  readonly mayMake: boolean
  /** A table that the role may not alter; null where it may alter all. */
  readonly unowned: string | null
  readonly unusable: string | null
}

/** Of the record of migrations a server that has nothing to apply only reads. */
const RIGHTS = sql`
  WITH ours AS (
    SELECT quote_ident(relname) AS name, pg_has_role(relowner, 'USAGE') AS owned,
      has_table_privilege(oid, 'SELECT') AND (relname = 'migrations' OR (has_table_privilege(oid, 'INSERT')
        AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))) AS used
    FROM pg_class WHERE relkind = 'r' AND relnamespace = to_regnamespace(quote_ident(current_schema()))
  )
  SELECT quote_ident(current_user) AS role, quote_ident(coalesce(current_schema(), 'public')) AS schema,
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayMake",
    (SELECT min(name) FROM ours WHERE NOT owned) AS unowned, (SELECT min(name) FROM ours WHERE NOT used) AS unusable`

const mayNot = (role: string, what: string, advice: string): StorageError =>
  new StorageError('read-only', `the role ${role} may not ${what}; ${advice}`)
