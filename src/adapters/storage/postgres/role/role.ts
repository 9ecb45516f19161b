// What the role in the URL of a PostgreSQL database lacks, with the statement that gives it and nothing more. This only asks, and
// changes nothing; it must not know who wants to know, and what they do then.

import type { StorageError } from '../../../../chat/errors.ts'
import type { Migration } from '../../migrations.ts'
import { refuseUnfit } from '../migrations.ts'
import type { Statements } from '../statements.ts'
import { astray } from './astray.ts'
import { onlyReads } from './only-reads.ts'
import { type OwnNames, ownNames } from './own.ts'
import { shut } from './row-security.ts'
import { type LoginRole, roleOf } from './settings.ts'
import { unchangeable, uncalled, unusable, type Use } from './table-lacks.ts'
import { type OwnTable, tablesOf } from './tables.ts'
import { lackWithoutTables } from './without-tables.ts'

/**
 * Undefined where nothing is lacking. The reason is `other` where names mean other tables than ours: nobody may serve with them.
 * Rejects with `StorageError` if the database can never have the schema of `migrations`.
 */
export async function lackOf(
  statements: Statements,
  migrations: readonly Migration[],
  use: Use,
): Promise<StorageError | undefined> {
  const role = await roleOf(statements)
  const own = ownNames(migrations)
  const tables = await tablesOf(statements, own)
  const record = tables.find(({ isRecord }) => isRecord)
  if (!record) return await lackWithoutTables(statements, migrations, { role, use })
  return (
    astray(role, tables) ??
    (use === 'reading' || !record.mayRead ? unusable(role, tables, use) : undefined) ??
    shut(role, [record]) ??
    (use === 'serving' ? await unserved(statements, migrations, { role, own, tables }) : undefined)
  )
}

/** Our tables, and who is to use them. */
interface Served {
  readonly role: LoginRole
  readonly own: OwnNames
  readonly tables: readonly OwnTable[]
}

/** The record of migrations can be read. */
async function unserved(
  statements: Statements,
  migrations: readonly Migration[],
  { role, own, tables }: Served,
): Promise<StorageError | undefined> {
  const isOlder = (await refuseUnfit(statements, migrations)) < migrations.length
  return (
    onlyReads(role) ??
    (isOlder ? (astray(role, tables, { makes: true }) ?? unchangeable(role, tables)) : undefined) ??
    unusable(role, tables, 'serving') ??
    (await uncalled(statements, role, { own, tables })) ??
    shut(role, tables)
  )
}
