import type { StorageError } from '../../../../chat/errors.ts'
import type { Migration } from '../../migrations.ts'
import type { Connections } from '../connection.ts'
import { refuseUnfit } from '../schema/migrations.ts'
import { ofOthers, unfound } from './elsewhere.ts'
import { onlyReads } from './only-reads.ts'
import { schemasOf } from './own-schema.ts'
import { reached } from './reached.ts'
import type { LoginRole } from './settings.ts'
import type { Use } from './table-lacks.ts'
import { mayNot } from './trouble.ts'

/** Who looks for our tables, and what for. */
interface Looking {
  readonly role: LoginRole
  readonly use: Use
}

/**
 * What a role lacks that finds no tables of sshawl: one that may make tables, and has none elsewhere, makes its own. Rejects with `StorageError` if the
 * database is another program's.
 */
export async function lackWithoutTables(
  connection: Connections,
  migrations: readonly Migration[],
  { role, use }: Looking,
): Promise<StorageError | undefined> {
  const schemas = await schemasOf(connection)
  const others = schemas.find(({ owner }) => owner !== null)
  const elsewhere =
    unfound(role, schemas) ?? (others && !role.mayMake ? ofOthers(role, schemas, others) : undefined)
  if (elsewhere || use === 'reading') return elsewhere
  await refuseUnfit(connection.read, migrations)
  const home = schemas.find(({ isInPath }) => isInPath) ?? PUBLIC
  return (
    onlyReads(role) ??
    (role.mayMake ? undefined : mayNot(role, 'make tables', reached(role, home, 'USAGE, CREATE')))
  )
}

/** Where no schema of the role's search_path is there. */
const PUBLIC = { schema: 'public', isInPath: false, mayUse: false }
