import type { Migration } from '../../migrations.ts'
import { statementsOf } from '../expansion/reading.ts'
import { ownOf } from '../expansion/statements.ts'
import { type Made, madeBy } from './made.ts'
import { raw, sql } from '../sql.ts'

/** What the migrations make, with which others' tables in the same schema are told from ours. */
export interface OwnNames {
  /** With the record of migrations. */
  readonly tables: readonly string[]
  readonly functions: readonly Made[]
}

export function ownNames(migrations: readonly Migration[]): OwnNames {
  const made = migrations.map(({ sql }) => ownOf(statementsOf(sql)))
  return {
    tables: [RECORD, ...made.flatMap(({ tables }) => [...tables])],
    functions: migrations.flatMap(madeBy).filter(({ parameters }) => parameters !== null),
  }
}

/** The table in which migrations are recorded. Many programs have one of this name. */
export const RECORD = 'migrations'

/** Of a row of pg_class that has the name: it is ours. Its columns tell so to everybody; its rows need a right. */
export const IS_OUR_RECORD = raw(`(relkind = 'r' AND 4 = (
  SELECT count(*) FROM pg_attribute WHERE attrelid = pg_class.oid AND NOT attisdropped
    AND attname IN ('version', 'name', 'sha256', 'applied_at')))`)

/** Of a row of pg_class: the role owns it, or is one of those who do. A superuser is not one of everybody here. */
export const IS_OWNED = sql`(
  SELECT pg_roles.oid = pg_class.relowner OR (NOT rolsuper AND pg_has_role(pg_class.relowner, 'USAGE'))
  FROM pg_roles WHERE rolname = current_user)`

/**
 * Of a row of pg_class: it is the role's own, the database owner's or a superuser's. Whoever else may make tables somewhere can grant
 * rights on them, too, and then reads what is written there; their triggers run as our role.
 */
export const IS_TRUSTED = sql`(${IS_OWNED}
  OR pg_class.relowner = (SELECT datdba FROM pg_database WHERE datname = current_database())
  OR (SELECT rolsuper FROM pg_roles WHERE pg_roles.oid = pg_class.relowner))`

/** Of a row of pg_class: the role owns it, or was given a right on it. Otherwise it may well be another server's. */
export const IS_GIVEN = raw(`(pg_has_role(pg_class.relowner, 'USAGE')
  OR has_table_privilege(pg_class.oid, 'SELECT, INSERT, UPDATE, DELETE'))`)

/** Of a row of pg_class that is our record: the role owns it, or may write what is said. Many may read all that there is. */
export const IS_WRITTEN = raw(`(pg_has_role(pg_class.relowner, 'USAGE') OR EXISTS (
  SELECT FROM pg_class AS entries WHERE entries.relnamespace = pg_class.relnamespace AND entries.relname = 'entries'
    AND has_table_privilege(entries.oid, 'INSERT')))`)
