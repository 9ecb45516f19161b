// Names that migrations give, and that something has already in the schema where they make their tables.
import { StorageError } from '../../../../chat/errors.ts'
import type { Migration } from '../../migrations.ts'
import { madeBy, type Made } from './made.ts'
import { RECORD } from './own.ts'
import { sql } from '../sql.ts'
import type { Statements } from '../statements.ts'

interface Taken {
  readonly name: string
  readonly kind: string
  readonly schema: string
}

/** That a migration which is not applied makes what has the name of another program's. */
export async function takenBefore(
  statements: Statements,
  migrations: readonly Migration[],
  applied: number,
): Promise<StorageError | undefined> {
  const made = [...(applied === 0 ? [RECORD_MADE] : []), ...migrations.slice(applied).flatMap(madeBy)]
  const taken = await firstTaken(statements, made)
  if (!taken) return undefined
  if (applied === 0) return ofAnother(taken.kind, taken.name)
  const file = made.find(({ name }) => name === taken.name)?.file ?? ''
  return new StorageError(
    'other',
    `the database in [storage] url has a ${taken.kind} ${taken.name} of another program in the schema ${taken.schema}, where ${file} makes one of this name; rename that one, or move it to another schema`,
  )
}

/** That the database is another program's. */
export const ofAnother = (kind: string, name: string): StorageError =>
  new StorageError(
    'other',
    `the database in [storage] url has a ${kind} ${name} of another program; make an empty one with createdb`,
  )

const RECORD_MADE: Made = { name: RECORD, parameters: null, file: '' }

/** New tables come to lie beside the record of migrations. */
const firstTaken = (statements: Statements, made: readonly Made[]): Promise<Taken | undefined> =>
  statements.get<Taken>(sql`
    WITH made AS (
      SELECT name, parameters FROM json_to_recordset(${JSON.stringify(made)}::json) AS made (name text, parameters text)
    ), home AS (
      SELECT oid, quote_ident(nspname) AS schema FROM pg_namespace WHERE nspname = current_schema()
    )
    SELECT relname::text AS name, schema, CASE relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'S' THEN 'sequence'
        WHEN 'i' THEN 'index' WHEN 'I' THEN 'index' WHEN 'c' THEN 'type' WHEN 'f' THEN 'foreign table' ELSE 'table' END AS kind
      FROM pg_class JOIN home ON relnamespace = home.oid JOIN made ON relname = name AND parameters IS NULL
    UNION ALL SELECT typname, schema, 'type'
      FROM pg_type JOIN home ON typnamespace = home.oid JOIN made ON typname = name AND parameters IS NULL
      WHERE typrelid = 0 AND typelem = 0
    UNION ALL SELECT proname, schema, 'function'
      FROM pg_proc JOIN home ON pronamespace = home.oid
      JOIN made ON proname = name AND oidvectortypes(proargtypes) = parameters
    ORDER BY name LIMIT 1`)
