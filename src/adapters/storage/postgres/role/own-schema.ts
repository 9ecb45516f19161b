import { raw, sql } from '../sql.ts'
import type { Statements } from '../statements.ts'
import { IS_OUR_RECORD, RECORD } from './own.ts'

/** A schema in which our tables are, or else in which they are to be. */
export interface OwnSchema {
  /** Quoted for SQL. */
  readonly schema: string
  readonly hasTables: boolean
  /** The role's search_path names it. That alone does not let the role in. */
  readonly isInPath: boolean
  readonly mayUse: boolean
}

/** The schema of our tables, though the role may not find them; otherwise the first one of its search_path. */
export async function ownSchema(statements: Statements): Promise<OwnSchema> {
  const found = await statements.get<OwnSchema>(sql`
    WITH named AS (
      SELECT btrim(name, ' "') AS name, number
      FROM unnest(string_to_array(current_setting('search_path'), ',')) WITH ORDINALITY AS path (name, number)
    ), schemas AS (
      SELECT quote_ident(nspname) AS schema, has_schema_privilege(oid, 'USAGE') AS "mayUse",
        (SELECT min(number) FROM named WHERE name = nspname OR (name = '$user' AND nspname = current_user)) AS number,
        EXISTS (SELECT FROM pg_class
          WHERE relnamespace = pg_namespace.oid AND relname = ${RECORD} AND ${IS_OUR_RECORD}) AS "hasTables"
      FROM pg_namespace WHERE nspname NOT LIKE ${raw("'pg\\_%'")}
    )
    SELECT schema, "mayUse", number IS NOT NULL AS "isInPath", "hasTables" FROM schemas
    WHERE number IS NOT NULL OR "hasTables" ORDER BY "hasTables" DESC, number NULLS LAST LIMIT 1`)
  return found ?? { schema: 'public', hasTables: false, isInPath: false, mayUse: false }
}

/** What the name of our record means to the role, if anything. Quoted for SQL. */
export async function namesakeOfRecord(statements: Statements): Promise<string | undefined> {
  const found = await statements.get<{ path: string }>(sql`
    SELECT quote_ident(nspname) || '.' || quote_ident(relname) AS path
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE pg_class.oid = to_regclass(${RECORD})`)
  return found?.path
}
