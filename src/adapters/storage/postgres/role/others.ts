// Several servers, each with tables of its own, may be in one database. None gets rights on the tables of another by mistake.
import type { StorageError } from '../../../../chat/errors.ts'
import type { Statements } from '../statements.ts'
import { misled } from './astray.ts'
import { RECORD } from './own.ts'
import { type KnownSchema, schemasOf } from './own-schema.ts'
import { advice, granting, reached } from './reached.ts'
import type { LoginRole } from './settings.ts'
import { type OwnTable, pathOf } from './tables.ts'
import { lack } from './trouble.ts'

/** The role finds tables of sshawl, has no right on any of them, and has its own elsewhere or is to make them before those. */
export async function besideOthers(
  statements: Statements,
  role: LoginRole,
  tables: readonly OwnTable[],
): Promise<StorageError | undefined> {
  const record = tables.find(({ isRecord }) => isRecord)
  if (!record || tables.some(({ isGiven }) => isGiven)) return undefined
  const schemas = await schemasOf(statements)
  const given = schemas.find(({ isGiven }) => isGiven)
  if (given)
    return misled(
      role,
      pathOf(record),
      `${given.schema}.${RECORD}`,
      reached(role, { ...given, isInPath: false }, 'USAGE'),
    )
  const others = schemas.find(({ schema }) => schema === record.schema)
  return others && schemas[0] !== others ? ofOthers(role, schemas, others) : undefined
}

/** That the tables of sshawl which are there seem to be another server's. */
export const ofOthers = (
  role: LoginRole,
  schemas: readonly KnownSchema[],
  { schema, owner, isInPath }: KnownSchema,
): StorageError =>
  lack(
    `the schema ${schema} has tables of another sshawl, which belong to ${owner}; if this server is to serve the same rooms, begin with GRANT SELECT ON ${schema}.${RECORD} TO ${role.name}; for tables of its own, ${ownMade(role, schemas, isInPath)}`,
  )

/** It makes them in the first schema of its search_path, once that leads to no others. */
function ownMade(role: LoginRole, schemas: readonly KnownSchema[], findsOthers: boolean): string {
  const home = schemas.find(({ isInPath }) => isInPath)
  if (!home || home.owner !== null)
    return advice(role, [`CREATE SCHEMA IF NOT EXISTS ${role.name} AUTHORIZATION ${role.name}`], role.name)
  const granted = home.mayUse && home.mayMake ? [] : [granting(role, 'USAGE, CREATE', home.schema)]
  return advice(role, granted, findsOthers ? home.schema : undefined)
}
