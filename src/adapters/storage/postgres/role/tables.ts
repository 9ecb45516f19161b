import { sql } from '../sql.ts'
import type { Statements } from '../statements.ts'
import { listOf } from './list.ts'
import { IS_GIVEN, IS_OUR_RECORD, type OwnNames, RECORD } from '../schema/own.ts'
import { POLICIES, RESTRICTIVE, UNGIVEN } from './policies.ts'

/** One of our tables: those in the schema of the record of migrations that the role finds. Names are quoted for SQL. */
export interface OwnTable {
  readonly schema: string
  readonly name: string
  /** It is the record of migrations. */
  readonly isRecord: boolean
  readonly isOwned: boolean
  /** The role owns it, or has a right on it. */
  readonly isGiven: boolean
  readonly mayRead: boolean
  readonly mayWrite: boolean
  /** Row level security holds for the role. */
  readonly isSecured: boolean
  /** It does, and no policies let it do all that it must with every row. */
  readonly isShut: boolean
  /** The policies that take rows away from the role, whatever others give. */
  readonly restrictive: readonly string[]
  /** The names of all policies. */
  readonly policies: readonly string[]
  /** All tables and views of its schema are ours. */
  readonly areAllOurs: boolean
}

/**
 * None where there is no record of migrations of ours. Of that record a server only reads, and one whose schema `isOlder` writes what
 * it applies. Who `onlyReads` does that with all.
 */
export const tablesOf = (
  statements: Statements,
  { tables }: OwnNames,
  { isOlder = false, onlyReads = false } = {},
): Promise<readonly OwnTable[]> =>
  statements.all<OwnTable>(sql`
    WITH ours AS (
      SELECT oid, relnamespace, relname, relowner, relname = ${RECORD} AS "isRecord", ${IS_GIVEN} AS "isGiven",
        string_to_array(CASE WHEN relname <> ${RECORD} THEN ${onlyReads ? 'r' : 'r,a,w,d'} ELSE ${isOlder ? 'r,a' : 'r'} END, ',') AS commands
      FROM pg_class
      WHERE relkind = 'r' AND relname IN (${listOf(tables)}) AND relnamespace = (
        SELECT relnamespace FROM pg_class WHERE oid = to_regclass(${RECORD}) AND ${IS_OUR_RECORD})
    ), ${POLICIES}
    SELECT quote_ident(nspname) AS schema, quote_ident(relname) AS name, "isRecord",
      pg_has_role(relowner, 'USAGE') AS "isOwned", "isGiven", has_table_privilege(ours.oid, 'SELECT') AS "mayRead",
      has_table_privilege(ours.oid, 'INSERT') AND has_table_privilege(ours.oid, 'UPDATE')
        AND has_table_privilege(ours.oid, 'DELETE') AS "mayWrite",
      row_security_active(ours.oid) AS "isSecured", row_security_active(ours.oid) AND EXISTS (${UNGIVEN}) AS "isShut",
      ARRAY(${RESTRICTIVE}) AS restrictive,
      ARRAY(SELECT quote_ident(polname) FROM pg_policy WHERE polrelid = ours.oid) AS policies,
      NOT EXISTS (
        SELECT FROM pg_class AS other WHERE other.relnamespace = ours.relnamespace
          AND other.relkind IN ('r', 'v', 'm', 'f', 'p') AND other.oid NOT IN (SELECT oid FROM ours)) AS "areAllOurs"
    FROM ours JOIN pg_namespace ON pg_namespace.oid = relnamespace ORDER BY relname`)

export const pathOf = ({ schema, name }: OwnTable): string => `${schema}.${name}`

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
  schema: string,
): Promise<readonly ClosedFunction[]> =>
  statements.all<ClosedFunction>(sql`
    SELECT quote_ident(proname) AS name,
      quote_ident(nspname) || '.' || quote_ident(proname) || '(' || pg_get_function_identity_arguments(one.oid) || ')' AS signature
    FROM pg_proc AS one JOIN pg_namespace ON pg_namespace.oid = pronamespace
    WHERE NOT has_function_privilege(one.oid, 'EXECUTE') AND (
      ((proname, oidvectortypes(proargtypes)) IN (
        SELECT name, parameters FROM json_to_recordset(${JSON.stringify(functions)}::json) AS ours (name text, parameters text)
      ) AND prorettype <> 'trigger'::regtype AND quote_ident(nspname) = ${schema})
      OR one.oid IN ('pg_catalog.pg_notify(text, text)'::regprocedure, 'pg_catalog.pg_advisory_xact_lock(int, int)'::regprocedure))
    ORDER BY proname`)
