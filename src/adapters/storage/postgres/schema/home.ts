// The schema in which our tables are: how it is found, and how migrations make them there. What other programs have in the same
// database, under whatever names, is out of a server's sight. This must not know what roles are told, or what the tables are for.

import type { QueryConfig } from 'pg'
import { IS_GIVEN, IS_OUR_RECORD, IS_OWNED, IS_TRUSTED, IS_WRITTEN, RECORD } from './own.ts'
import { namesIn } from './search-path.ts'
import { raw, sql } from '../sql.ts'
import { returned, type Statements, statementsOn } from '../statements.ts'

/** What a role's search_path was when it connected, and what it came to. */
export interface Home {
  /** Where our tables are, or are to be made. Quoted for SQL; null where the role may enter no schema of its search_path. */
  readonly schema: string | null
  /** The names in the search_path, whether there are such schemas or not. */
  readonly path: readonly string[]
  /** The URL gives the search_path, or the environment does. */
  readonly isPathGiven: boolean
  /** Somebody stands between, as a pooler does: who answers is not who let us in. */
  readonly isPooled: boolean
}

/** Lets a connection find the names of one schema only: of the first one that was found, for as long as this lives. */
export interface HomeFinder {
  readonly found: Home | undefined
  enter(client: Client): Promise<void>
}

interface Client {
  /** Of PostgreSQL's process for it, as that said at the login. A property that the driver's types do not have. */
  readonly processID?: number | null
  query(config: QueryConfig): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number | null }>
}

export function createHomeFinder({ readsOnly = false } = {}): HomeFinder {
  let found: Home | undefined
  return {
    get found() {
      return found
    },
    async enter(client) {
      const statements = statementsOn((query) => client.query(query))
      if (found === undefined || found.schema === null) found = await find(client, statements, readsOnly)
      await statements.run(raw(`SET search_path = ${found.schema ?? "''"}; ${SURE}`))
    },
  }
}

/** Our statements mean the same, and numbers come as they are, whatever was set for the role. */
const SURE = 'SET standard_conforming_strings = on; SET extra_float_digits = 1'

async function find(client: Client, statements: Statements, readsOnly: boolean): Promise<Home> {
  const { path, schemas, backend } = returned(await statements.get<Path>(PATH))
  const settings = await statements.all<Setting>(SETTINGS)
  await statements.run(raw('SET search_path = pg_catalog'))
  const home = await statements.get<{ schema: string }>(homeAmong(schemas, readsOnly))
  return {
    schema: home?.schema ?? null,
    path: namesIn(path),
    isPathGiven: settings.some(({ name, source }) => name === 'search_path' && source === 'client'),
    isPooled: client.processID !== backend,
  }
}

interface Path {
  readonly path: string
  /** Those of it that are there, and that the role may enter. */
  readonly schemas: readonly string[]
  /** Who answers. */
  readonly backend: number
}

interface Setting {
  readonly name: string
  readonly source: string
}

/** As long as the whole search_path holds, an operator or a function without its schema may be anybody's, and would run as our role. */
const PATH = sql`
  SELECT pg_catalog.current_setting('search_path') AS path, pg_catalog.to_json(pg_catalog.current_schemas(false)) AS schemas,
    pg_catalog.pg_backend_pid() AS backend`
const SETTINGS = sql`SELECT name, source FROM pg_catalog.pg_settings`

/**
 * Where our record of migrations is the role's own, or else where somebody who can be trusted lets it write; otherwise the first one,
 * as for all programs. Who only reads looks where it may.
 */
const homeAmong = (schemas: readonly string[], readsOnly: boolean) => sql`
  SELECT quote_ident(named.name) AS schema
  FROM json_array_elements_text(${JSON.stringify(schemas)}::json) WITH ORDINALITY AS named (name, number)
    JOIN pg_namespace ON nspname = named.name
    LEFT JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = ${RECORD} AND ${IS_OUR_RECORD} AND ${readsOnly ? IS_GIVEN : IS_WRITTEN}
  WHERE NOT starts_with(nspname::text, 'pg_') AND nspname <> 'information_schema'
  ORDER BY CASE WHEN relname IS NULL OR NOT ${readsOnly ? sql`true` : IS_TRUSTED} THEN 2 WHEN ${IS_OWNED} THEN 0 ELSE 1 END, number LIMIT 1`
