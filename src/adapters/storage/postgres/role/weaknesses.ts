import type { Connections } from '../connection.ts'
import { IS_OUR_RECORD, IS_TRUSTED, RECORD } from '../schema/own.ts'
import { sql } from '../sql.ts'
import type { Statements } from '../statements.ts'
import { roleOf, settingAdvice } from './settings.ts'

/** What a server has of connections at most: its own, and those that listen. */
const WANTED = 14

/** A sentence for each thing with which a server starts, and serves worse. */
export async function weaknessesOf(connection: Connections): Promise<readonly string[]> {
  const role = await roleOf(connection)
  const { isPooled } = await connection.home()
  const stranger = await strangersTables(connection.read)
  return [
    ...(isPooled
      ? [
          "a pooler stands between the server and PostgreSQL: it must leave a connection to who has it until that ends (pool_mode = session of PgBouncer), or lines come to lie in others' tables",
        ]
      : []),
    ...(stranger
      ? [
          `the tables in the schema ${stranger.schema} belong to ${stranger.owner}, who reads all that is written there, and whose triggers run as ${role.name}; where that is not meant, use a database of its own`,
        ]
      : []),
    ...(role.connections !== null && role.connections < WANTED
      ? [
          `the role ${role.name} may have ${role.connections} connections, and a server has up to ${WANTED}: it does not start, or refuses lines when much is said; raise CONNECTION LIMIT of the role, or of the database`,
        ]
      : []),
    ...(role.forgets
      ? [
          `synchronous_commit is off for the role ${role.name}: what was acknowledged is lost when PostgreSQL crashes; ${settingAdvice(role, 'synchronous_commit', 'on')}`,
        ]
      : []),
  ]
}

/** Where the tables that the role uses are, and whose, if it is nobody who can be trusted with them. */
const strangersTables = (
  statements: Statements,
): Promise<{ readonly schema: string; readonly owner: string } | undefined> =>
  statements.get(sql`
    SELECT quote_ident(nspname) AS schema, quote_ident(pg_get_userbyid(relowner)) AS owner
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE pg_class.oid = to_regclass(${RECORD}) AND ${IS_OUR_RECORD} AND NOT ${IS_TRUSTED}`)
