import { StorageError } from '../../../../chat/errors.ts'
import type { Migration } from '../../migrations.ts'
import { refuseUnfit } from '../migrations.ts'
import type { Statements } from '../statements.ts'
import { misled } from './astray.ts'
import { onlyReads } from './only-reads.ts'
import { ofOthers } from './others.ts'
import { RECORD } from './own.ts'
import { type KnownSchema, namesakeOfRecord, schemasOf } from './own-schema.ts'
import { reached } from './reached.ts'
import { type LoginRole, settingAdvice } from './settings.ts'
import type { Use } from './table-lacks.ts'
import { lack, mayNot } from './trouble.ts'

/** Who looks for our tables, and what for. */
interface Looking {
  readonly role: LoginRole
  readonly use: Use
}

/** What a role lacks that does not find our record of migrations. Rejects with `StorageError` if the database is another program's. */
export async function lackWithoutTables(
  statements: Statements,
  migrations: readonly Migration[],
  { role, use }: Looking,
): Promise<StorageError | undefined> {
  const schemas = await schemasOf(statements)
  const given = schemas.find(({ isGiven }) => isGiven)
  const others = schemas.find(({ owner }) => owner !== null)
  const lacking = given
    ? ((await recordAstray(statements, role, given)) ?? unfound(role, given))
    : others && !role.mayMake && ofOthers(role, schemas, others)
  if (lacking) return lacking
  return use === 'serving' ? await unmade(statements, migrations, { role, schemas }) : undefined
}

/** The role finds another program's record instead. */
async function recordAstray(
  statements: Statements,
  role: LoginRole,
  given: KnownSchema,
): Promise<StorageError | undefined> {
  const other = await namesakeOfRecord(statements)
  if (!other) return undefined
  const advice = reached(role, { ...given, isInPath: false }, 'USAGE')
  return misled(role, other.path, `${given.schema}.${RECORD}`, advice)
}

/** One that can make tables where it looks for them makes its own. */
function unfound(role: LoginRole, given: KnownSchema): StorageError | undefined {
  if (role.mayMake) return undefined
  return lack(
    `the role ${role.name} does not find the tables of the schema ${given.schema}; ${reached(role, given, 'USAGE')}`,
  )
}

/** There are no tables: a server begins by making them. */
async function unmade(
  statements: Statements,
  migrations: readonly Migration[],
  { role, schemas }: { readonly role: LoginRole; readonly schemas: readonly KnownSchema[] },
): Promise<StorageError | undefined> {
  const behind = await recordBehind(statements, role)
  if (behind) return behind
  await refuseUnfit(statements, migrations)
  const home = schemas.find(({ isInPath }) => isInPath) ?? PUBLIC
  return (
    onlyReads(role) ??
    (role.mayMake ? undefined : mayNot(role, 'make tables', reached(role, home, 'USAGE, CREATE')))
  )
}

/** Where no schema of the role's search_path is there. */
const PUBLIC = { schema: 'public', isInPath: false, mayUse: false }

/** Our tables are to be made in a schema from which the role sees another program's record. */
async function recordBehind(statements: Statements, role: LoginRole): Promise<StorageError | undefined> {
  const other = await namesakeOfRecord(statements)
  if (!other || role.schema === null || other.schema === role.schema) return undefined
  return new StorageError(
    'other',
    `the search_path of the role ${role.name} finds ${other.path} of another program, and tables of sshawl are to be made in ${role.schema}; ${settingAdvice(role, 'search_path', role.schema)}`,
  )
}
