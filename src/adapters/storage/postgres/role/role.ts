// What the role in the URL of a PostgreSQL database lacks, with the statement that gives it and nothing more. This only asks, and
// changes nothing; it must not know who wants to know, and what they do then.

import type { StorageError } from '../../../../chat/errors.ts'
import type { Migration } from '../../migrations.ts'
import { refuseUnfit } from '../migrations.ts'
import type { Statements } from '../statements.ts'
import { astray } from './astray.ts'
import { onlyReads } from './only-reads.ts'
import { besideOthers } from './others.ts'
import { ownNames } from './own.ts'
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
  const tables = await tablesOf(statements, ownNames(migrations))
  const record = tables.find(({ isRecord }) => isRecord)
  if (!record) return await lackWithoutTables(statements, migrations, { role, use })
  return (
    (await besideOthers(statements, role, tables)) ??
    unusable(role, [record], use) ??
    shut(role, [record]) ??
    (await lackWithTables(statements, migrations, { role, use, tables }))
  )
}

interface Using {
  readonly role: LoginRole
  readonly use: Use
  /** Those that have the names of ours. */
  readonly tables: readonly OwnTable[]
}

/** The record of migrations can be read: only what the applied ones made is ours. */
async function lackWithTables(
  statements: Statements,
  migrations: readonly Migration[],
  { role, use, tables }: Using,
): Promise<StorageError | undefined> {
  const applied = await refuseUnfit(statements, migrations)
  const isOlder = applied < migrations.length
  const own = ownNames(migrations.slice(0, applied))
  const ours = isOlder ? await tablesOf(statements, own, { isOlder }) : tables
  if (use === 'reading') return astray(role, ours) ?? unusable(role, ours, use)
  return (
    astray(role, ours, { makes: isOlder }) ??
    onlyReads(role) ??
    (isOlder ? unchangeable(role, ours) : undefined) ??
    unusable(role, ours, use) ??
    (await uncalled(statements, role, { own, tables: ours })) ??
    shut(role, ours)
  )
}
