// What the role in the URL of a PostgreSQL database lacks, with the statement that gives it and nothing more. This only asks, and
// changes nothing; it must not know who wants to know, and what they do then.

import type { StorageError } from '../../../../chat/errors.ts'
import type { Migration } from '../../migrations.ts'
import { refuseUnfit } from '../migrations.ts'
import type { Statements } from '../statements.ts'
import { ownNames } from './own.ts'
import { ownSchema, type OwnSchema } from './own-schema.ts'
import { type LoginRole, roleOf, settingAdvice } from './settings.ts'
import { shut, unchangeable, uncalled, unusable, type Use } from './table-lacks.ts'
import { tablesOf } from './tables.ts'
import { lack, mayNot } from './trouble.ts'

/** Undefined where nothing is lacking. Rejects with `StorageError` if the database can never have the schema of `migrations`. */
export async function lackOf(
  statements: Statements,
  migrations: readonly Migration[],
  use: Use,
): Promise<StorageError | undefined> {
  const role = await roleOf(statements)
  const own = ownNames(migrations)
  const tables = await tablesOf(statements, own)
  const record = tables.find(({ isRecord }) => isRecord)
  if (!record) {
    const found = await ownSchema(statements, own)
    return (
      notFound(role, found) ??
      (use === 'serving' ? await unmade(statements, migrations, role, found) : undefined)
    )
  }
  if (use === 'reading' || !record.mayRead) return unusable(role, tables, use)
  const applied = await refuseUnfit(statements, migrations)
  return (
    onlyReads(role) ??
    (applied < migrations.length ? unchangeable(role, tables) : undefined) ??
    unusable(role, tables, use) ??
    (await uncalled(statements, role, own)) ??
    shut(role, tables)
  )
}

function onlyReads(role: LoginRole): StorageError | undefined {
  if (role.isStandby)
    return lack('the database is a standby, which only reads; name the primary server in [storage] url')
  if (!role.onlyReads) return undefined
  // Whoever runs it there may only read by default, too.
  const advice = settingAdvice(role, 'default_transaction_read_only', 'off').replace(
    /^run there: (.*)$/,
    'run there: BEGIN READ WRITE; $1; COMMIT',
  )
  return lack(
    `the database only reads: default_transaction_read_only is on for the role ${role.name}; ${advice}`,
  )
}

/** The tables are there, but the role's names do not mean them. */
function notFound(role: LoginRole, found: OwnSchema): StorageError | undefined {
  if (!found.hasTables || role.mayMake) return undefined
  return lack(
    `the role ${role.name} does not find the tables of the schema ${found.schema}; ${reached(role, found, 'USAGE')}`,
  )
}

/** There are no tables: a server begins by making them. */
async function unmade(
  statements: Statements,
  migrations: readonly Migration[],
  role: LoginRole,
  found: OwnSchema,
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
