import { sql } from '../sql.ts'
import type { Statements } from '../statements.ts'
import { listOf } from './list.ts'
import { type OwnNames, RECORD } from './own.ts'

/** One of our tables that the role's names mean. Names are quoted for SQL. */
export interface OwnTable {
  readonly schema: string
  readonly name: string
  /** It is the record of migrations. */
  readonly isRecord: boolean
  readonly isOwned: boolean
  readonly mayRead: boolean
  readonly mayWrite: boolean
  /** Row level security holds for the role, and no policy lets it do all that it must. */
  readonly isShut: boolean
  /** All tables and views of its schema are ours. */
  readonly areAllOurs: boolean
}

export const tablesOf = (statements: Statements, { tables }: OwnNames): Promise<readonly OwnTable[]> =>
  statements.all<OwnTable>(sql`
    WITH ours AS (
      SELECT oid, relnamespace, relname, relowner, relname = ${RECORD} AS "isRecord" FROM pg_class
      WHERE relkind = 'r' AND relname IN (${listOf(tables)}) AND pg_table_is_visible(oid)
    )
    SELECT quote_ident(nspname) AS schema, quote_ident(relname) AS name, "isRecord",
      pg_has_role(relowner, 'USAGE') AS "isOwned", has_table_privilege(ours.oid, 'SELECT') AS "mayRead",
      has_table_privilege(ours.oid, 'INSERT') AND has_table_privilege(ours.oid, 'UPDATE')
        AND has_table_privilege(ours.oid, 'DELETE') AS "mayWrite",
      row_security_active(ours.oid) AND EXISTS (
        SELECT FROM unnest(ARRAY['r', 'a', 'w', 'd']) AS command
        WHERE (command = 'r' OR NOT "isRecord") AND NOT EXISTS (
          SELECT FROM pg_policy, unnest(polroles) AS allowed
          WHERE polrelid = ours.oid AND polpermissive AND polcmd::text IN ('*', command)
            AND CASE allowed WHEN 0 THEN true ELSE pg_has_role(allowed, 'USAGE') END)) AS "isShut",
      NOT EXISTS (
        SELECT FROM pg_class AS other WHERE other.relnamespace = ours.relnamespace
          AND other.relkind IN ('r', 'v', 'm', 'f', 'p') AND other.oid NOT IN (SELECT oid FROM ours)) AS "areAllOurs"
    FROM ours JOIN pg_namespace ON pg_namespace.oid = relnamespace ORDER BY relname`)

/** A function that the role may not call. */
export interface ClosedFunction {
  readonly name: string
  /** As GRANT wants it. */
  readonly signature: string
}

/** Of a trigger's function PostgreSQL asks no right. */
export const closedFunctions = (
  statements: Statements,
  { functions }: OwnNames,
): Promise<readonly ClosedFunction[]> =>
  statements.all<ClosedFunction>(sql`
    SELECT quote_ident(proname) AS name,
      quote_ident(nspname) || '.' || quote_ident(proname) || '(' || pg_get_function_identity_arguments(one.oid) || ')' AS signature
    FROM pg_proc AS one JOIN pg_namespace ON pg_namespace.oid = pronamespace
    WHERE NOT has_function_privilege(one.oid, 'EXECUTE') AND (
      (proname IN (${listOf(functions)}) AND prorettype <> 'trigger'::regtype AND pg_function_is_visible(one.oid))
      OR one.oid IN ('pg_catalog.pg_notify(text, text)'::regprocedure, 'pg_catalog.pg_advisory_xact_lock(int, int)'::regprocedure))
    ORDER BY proname`)
