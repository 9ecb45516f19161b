// Tables of sshawl that are not where the role looks. Several servers, each with tables of its own, may be in one database: none
// gets rights on the tables of another by mistake.
import { StorageError } from '../../../../chat/errors.ts'
import { RECORD } from '../schema/own.ts'
import type { KnownSchema } from './own-schema.ts'
import { advice, reached } from './reached.ts'
import type { LoginRole } from './settings.ts'
import type { OwnTable } from './tables.ts'
import { lack } from './trouble.ts'

/** The role has no right on the tables that it finds: its own may be elsewhere, or are still to be made. */
export function besideOthers(
  role: LoginRole,
  schemas: readonly KnownSchema[],
  found: OwnTable,
): StorageError | undefined {
  const others = schemas.find(({ schema }) => schema === found.schema)
  return unfound(role, schemas) ?? (others && ofOthers(role, schemas, others))
}

/**
 * The role finds none of the tables that it may write. It gets no others beside them: then all rooms would seem to be gone. Those
 * that anybody may have made count only where the role looks.
 */
export function unfound(role: LoginRole, schemas: readonly KnownSchema[]): StorageError | undefined {
  const given = schemas.find(({ isGiven, isTrusted, isInPath }) => isGiven && (isTrusted || isInPath))
  if (!given) return undefined
  const whatToDo = given.isTrusted ? `; ${reached(role, given, 'USAGE')}` : `, ${ofStranger(role, given)}`
  return new StorageError(
    'other',
    `the role ${role.name} does not find the tables of the schema ${given.schema}${whatToDo}`,
  )
}

/** Its rooms may be in them, or somebody lies in wait for a first start. */
const ofStranger = (role: LoginRole, { schema, owner }: KnownSchema): string =>
  `which belong to ${owner}; if this server is to serve the rooms in them, ${advice(role, [], schema)}; for tables of its own, run there: REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM ${role.name}, PUBLIC`

/** That the tables of sshawl which are there seem to be another server's. */
export const ofOthers = (
  role: LoginRole,
  schemas: readonly KnownSchema[],
  { schema, owner }: KnownSchema,
): StorageError =>
  lack(
    `the schema ${schema} has tables of another sshawl, which belong to ${owner}; if this server is to serve the same rooms, begin with GRANT SELECT ON ${schema}.${RECORD} TO ${role.name}; for tables of its own, ${ownMade(role, schemas)}`,
  )

/** In the first schema of its search_path, unless others have theirs there. */
function ownMade(role: LoginRole, schemas: readonly KnownSchema[]): string {
  const first = schemas.find(({ isInPath }) => isInPath)
  return first?.owner === null
    ? reached(role, first, 'USAGE, CREATE')
    : advice(role, [`CREATE SCHEMA IF NOT EXISTS ${role.name} AUTHORIZATION ${role.name}`], role.name)
}
