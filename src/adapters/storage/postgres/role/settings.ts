import { sql } from '../sql.ts'
import type { Connections } from '../connection.ts'
import { returned } from '../statements.ts'

/** Who asks, and how their connections begin. Names are quoted for SQL. */
export interface LoginRole {
  readonly name: string
  /** Whose settings hold, where it logs in as another one. */
  readonly login: string
  readonly database: string
  /** Where it makes tables; null where there is none. */
  readonly schema: string | null
  readonly mayMake: boolean
  /** What the database is copied to, and never written to. */
  readonly isStandby: boolean
  readonly onlyReads: boolean
  /** A commit does not wait until it is on the disk. */
  readonly forgets: boolean
  /** Where row level security would take rows away from a statement, that fails. */
  readonly refusesPart: boolean
  /** Settings that the URL, or the environment, gives. */
  readonly given: readonly string[]
  /** How many connections it, or all in the database, may have; null: as many as the server takes. */
  readonly connections: number | null
}

export async function roleOf({ home, read }: Connections): Promise<LoginRole> {
  const { isPathGiven } = await home()
  return returned(
    await read.get<LoginRole>(sql`
      SELECT quote_ident(current_user) AS name, quote_ident(session_user) AS login, quote_ident(current_database()) AS database,
        quote_ident(current_schema()) AS schema,
        coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayMake",
        pg_is_in_recovery() AS "isStandby", current_setting('default_transaction_read_only') = 'on' AS "onlyReads",
        current_setting('synchronous_commit') = 'off' AS forgets,
        current_setting('row_security') = 'off' AS "refusesPart",
        ARRAY(SELECT name FROM pg_settings WHERE source = 'client' OR (name = 'search_path' AND ${isPathGiven})) AS given,
        (SELECT min(most) FROM (
          SELECT rolconnlimit FROM pg_roles WHERE rolname = session_user AND NOT rolsuper
          UNION ALL SELECT datconnlimit FROM pg_database, pg_roles
            WHERE datname = current_database() AND rolname = session_user AND NOT rolsuper
        ) AS limits (most) WHERE most >= 0) AS connections`),
  )
}

/** How a setting comes to have a value for the role. What a URL says holds before all that is set in the database. */
export const settingAdvice = (
  { login, database, given }: LoginRole,
  setting: string,
  value: string,
): string =>
  given.includes(setting)
    ? `take ${setting} out of url in [storage], or out of PGOPTIONS`
    : `run there: ALTER ROLE ${login} IN DATABASE ${database} SET ${setting} = ${value}`
