import type { Connections } from '../connection.ts'
import { sql } from '../sql.ts'
import { IS_OUR_RECORD, IS_TRUSTED, IS_WRITTEN, RECORD } from '../schema/own.ts'

/** A schema with tables of sshawl, or one through which the role looks. Names are quoted for SQL. */
export interface KnownSchema {
  readonly schema: string
  /** Who owns the record of migrations in it; null where there is none of sshawl. */
  readonly owner: string | null
  /** It is the role's own, or the role may write what is said there. */
  readonly isGiven: boolean
  /** The record is the role's own, the database owner's or a superuser's. */
  readonly isTrusted: boolean
  /** The role's search_path names it. That alone does not let the role in. */
  readonly isInPath: boolean
  readonly mayUse: boolean
}

/** In the order of the role's search_path; then those that it does not name. */
export async function schemasOf({ home, read }: Connections): Promise<readonly KnownSchema[]> {
  const { path } = await home()
  return await read.all<KnownSchema>(sql`
    WITH named AS (
      SELECT name, number FROM json_array_elements_text(${JSON.stringify(path)}::json) WITH ORDINALITY AS path (name, number)
    ), records AS (
      SELECT relnamespace, quote_ident(pg_get_userbyid(relowner)) AS owner, ${IS_WRITTEN} AS "isGiven", ${IS_TRUSTED} AS "isTrusted"
      FROM pg_class WHERE relname = ${RECORD} AND ${IS_OUR_RECORD}
    ), schemas AS (
      SELECT quote_ident(nspname) AS schema, owner, coalesce("isGiven", false) AS "isGiven", coalesce("isTrusted", false) AS "isTrusted",
        (SELECT min(number) FROM named WHERE nspname = CASE name WHEN '$user' THEN current_user ELSE name END) AS number,
        has_schema_privilege(oid, 'USAGE') AS "mayUse"
      FROM pg_namespace LEFT JOIN records ON relnamespace = oid WHERE NOT starts_with(nspname::text, 'pg_') AND nspname <> 'information_schema'
    )
    SELECT schema, owner, "isGiven", "isTrusted", number IS NOT NULL AS "isInPath", "mayUse" FROM schemas
    WHERE number IS NOT NULL OR owner IS NOT NULL ORDER BY number NULLS LAST, schema`)
}
