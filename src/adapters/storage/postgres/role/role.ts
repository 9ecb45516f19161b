// What the role in the URL of a PostgreSQL database lacks, with the statement that gives it and nothing more. This only asks, and
// changes nothing; it must not know who wants to know, and what they do then.

import type { StorageError } from '../../../../chat/errors.ts'
import type { Migration } from '../../migrations.ts'
import type { Connections } from '../connection.ts'
import { refuseUnfit } from '../schema/migrations.ts'
import type { Statements } from '../statements.ts'
import { besideOthers } from './elsewhere.ts'
import { onlyReads } from './only-reads.ts'
import { ownNames } from '../schema/own.ts'
import { schemasOf } from './own-schema.ts'
import { shut } from './row-security.ts'
import { type LoginRole, roleOf } from './settings.ts'
import { unchangeable, uncalled, unusable, type Use } from './table-lacks.ts'
import { type OwnTable, tablesOf } from './tables.ts'
import { lackWithoutTables } from './without-tables.ts'

/** Undefined where nothing is lacking. Rejects with `StorageError` if the database can never have the schema of `migrations`. */
export async function lackOf(
  connection: Connections,
  migrations: readonly Migration[],
  use: Use,
): Promise<StorageError | undefined> {
  const { read } = connection
  const role = await roleOf(connection)
  const tables = await tablesOf(read, ownNames(migrations))
  const record = tables.find(({ isRecord }) => isRecord)
  if (!record) return await lackWithoutTables(connection, migrations, { role, use })
  return (
    (record.isGiven ? undefined : besideOthers(role, await schemasOf(connection), record)) ??
    unusable(role, [record], use) ??
    shut(role, [record]) ??
    (await lackWithTables(read, migrations, { role, use, tables }))
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
  read: Statements,
  migrations: readonly Migration[],
  { role, use, tables }: Using,
): Promise<StorageError | undefined> {
  const applied = await refuseUnfit(read, migrations)
  const isOlder = applied < migrations.length
  const own = ownNames(migrations.slice(0, applied))
  if (use === 'reading') {
    const seen = await tablesOf(read, own, { onlyReads: true })
    return unusable(role, seen, use) ?? shut(role, seen)
  }
  const ours = isOlder ? await tablesOf(read, own, { isOlder }) : tables
  return (
    onlyReads(role) ??
    (isOlder ? unchangeable(role, ours) : undefined) ??
    unusable(role, ours, use) ??
    (await uncalled(read, role, { own, tables: ours })) ??
    shut(role, ours)
  )
}
