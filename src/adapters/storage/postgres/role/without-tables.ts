import type { StorageError } from '../../../../chat/errors.ts'
import type { Migration } from '../../migrations.ts'
import { refuseUnfit } from '../migrations.ts'
import type { Statements } from '../statements.ts'
import { misled } from './astray.ts'
import { onlyReads } from './only-reads.ts'
import { RECORD } from './own.ts'
import { namesakeOfRecord, ownSchema, type OwnSchema } from './own-schema.ts'
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
  const found = await ownSchema(statements)
  if (found.hasTables) {
    const lacking = (await recordAstray(statements, role, found)) ?? unfound(role, found)
    if (lacking) return lacking
  }
  return use === 'serving' ? await unmade(statements, migrations, { role, found }) : undefined
}

/** The role finds another program's record instead. */
async function recordAstray(
  statements: Statements,
  role: LoginRole,
  found: OwnSchema,
): Promise<StorageError | undefined> {
  const other = await namesakeOfRecord(statements)
  if (other === undefined) return undefined
  const advice = reached(role, { ...found, isInPath: false }, 'USAGE')
  return misled(role, other, `${found.schema}.${RECORD}`, advice)
}

/** One that can make tables where it looks for them makes its own. */
function unfound(role: LoginRole, found: OwnSchema): StorageError | undefined {
  if (role.mayMake) return undefined
  return lack(
    `the role ${role.name} does not find the tables of the schema ${found.schema}; ${reached(role, found, 'USAGE')}`,
  )
}

/** There are no tables: a server begins by making them. */
async function unmade(
  statements: Statements,
  migrations: readonly Migration[],
  { role, found }: { readonly role: LoginRole; readonly found: OwnSchema },
): Promise<StorageError | undefined> {
  await refuseUnfit(statements, migrations)
  return (
    onlyReads(role) ??
    (role.mayMake ? undefined : mayNot(role, 'make tables', reached(role, found, 'USAGE, CREATE')))
  )
}

/** How the role comes to have `rights` in a schema, and to look there for tables. */
function reached(role: LoginRole, { schema, isInPath, mayUse }: OwnSchema, rights: string): string {
  const granted = `run there: GRANT ${rights} ON SCHEMA ${schema} TO ${role.name}`
  if (isInPath) return granted
  const found = settingAdvice(role, 'search_path', schema)
  if (mayUse && rights === 'USAGE') return found
  return found.startsWith('run there: ')
    ? `${granted}; ${found.slice('run there: '.length)}`
    : `${found}; ${granted}`
}
