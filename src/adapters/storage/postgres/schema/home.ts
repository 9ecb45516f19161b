// The schema in which our tables are: how it is found, and how migrations make them there. What other programs have in the same
// database, under whatever names, is out of a server's sight. This must not know what roles are told, or what the tables are for.

import type { QueryConfig } from 'pg'
import { IS_GIVEN, IS_OUR_RECORD, RECORD } from './own.ts'
import { raw, sql } from '../sql.ts'
import { returned, statementsOn } from '../statements.ts'

/** What a role's search_path was when it connected, and what it came to. */
export interface Home {
  /** Where our tables are, or are to be made. Quoted for SQL; null where the role may enter no schema of its search_path. */
  readonly schema: string | null
  readonly path: string
  /** The URL gives the search_path, or the environment does. */
  readonly isPathGiven: boolean
}

/** Lets a connection find the names of one schema only: of the first one that was found, for as long as this lives. */
export interface HomeFinder {
  readonly found: Home | undefined
  enter(client: Client): Promise<void>
}

interface Client {
  query(config: QueryConfig): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number | null }>
}

export function createHomeFinder(): HomeFinder {
  let found: Home | undefined
  return {
    get found() {
      return found
    },
    async enter(client) {
      const statements = statementsOn((query) => client.query(query))
      if (found === undefined || found.schema === null) found = returned(await statements.get<Home>(HOME))
      if (found.schema !== null) await statements.run(raw(`SET search_path = ${found.schema}`))
    },
  }
}

/** Where the role has a right on our record of migrations; otherwise the first schema of its search_path, as for all programs. */
const HOME = sql`
  SELECT (
    SELECT quote_ident(nspname)
    FROM unnest(current_schemas(false)) WITH ORDINALITY AS named (name, number) JOIN pg_namespace ON nspname = name
      LEFT JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = ${RECORD} AND ${IS_OUR_RECORD} AND ${IS_GIVEN}
    ORDER BY relname IS NULL, number LIMIT 1
  ) AS schema, setting AS path, source = 'client' AS "isPathGiven" FROM pg_settings WHERE name = 'search_path'`
