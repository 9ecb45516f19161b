// Moves everything that is stored from one engine to the other, in pieces, so that its size does not matter. The tables and columns
// are SQLite's; PostgreSQL has the same and some more. This folder must not know what a row means, but for what PostgreSQL keeps of an
// entry in columns of its own.

import { StorageError } from '../../../chat/errors.ts'

/** A table with the columns that both engines have. */
export interface CopiedTable {
  readonly name: string
  readonly columns: readonly string[]
}

/** A row by its columns: texts, numbers and nulls. */
export type CopiedRow = Readonly<Record<string, unknown>>

/** What is copied: a state of one moment. */
export interface CopySource {
  /** All rows, in pieces that fit into memory. */
  rows(table: CopiedTable): AsyncIterable<readonly CopiedRow[]>
  /** The largest number that the table ever gave, also of a row that is gone; undefined where it gives none. */
  lastNumber(table: CopiedTable): Promise<number | undefined>
}

/** Where it is copied to, in one transaction. */
export interface CopyTarget {
  count(table: CopiedTable): Promise<number>
  insert(table: CopiedTable, rows: readonly CopiedRow[]): Promise<void>
  /** Numbers go on after this one. */
  setLastNumber(table: CopiedTable, last: number): Promise<void>
}

/** How many rows of each table were copied. */
export type CopiedRows = ReadonlyMap<string, number>

/** Copies all rows. Rejects with `StorageError` if the target has any, or if it has not got them all. */
export async function copyRows(
  source: CopySource,
  target: CopyTarget,
  tables: readonly CopiedTable[],
): Promise<CopiedRows> {
  const ordered = parentsFirst(tables)
  for (const table of ordered) await requireEmpty(target, table)
  const copied = new Map<string, number>()
  for (const table of ordered) copied.set(table.name, await copyTable(source, target, table))
  return copied
}

/** Tables that others refer to, each before those. */
const PARENTS: readonly string[] = ['people', 'rooms', 'entries', 'turns', 'tokens']

function parentsFirst(tables: readonly CopiedTable[]): readonly CopiedTable[] {
  const rank = ({ name }: CopiedTable): number =>
    PARENTS.includes(name) ? PARENTS.indexOf(name) : PARENTS.length
  return tables.toSorted((a, b) => rank(a) - rank(b))
}

async function requireEmpty(target: CopyTarget, table: CopiedTable): Promise<void> {
  if ((await target.count(table)) > 0)
    throw new StorageError(
      'other',
      `the database in --to is not empty: it has ${table.name}; copy into one that no server was started with`,
    )
}

async function copyTable(source: CopySource, target: CopyTarget, table: CopiedTable): Promise<number> {
  let read = 0
  for await (const rows of source.rows(table)) {
    await target.insert(table, rows)
    read += rows.length
  }
  const last = await source.lastNumber(table)
  if (last !== undefined) await target.setLastNumber(table, last)
  const written = await target.count(table)
  if (written === read) return written
  if (written > read)
    throw new StorageError(
      'other',
      `somebody else wrote ${table.name} to the database in --to meanwhile, as a server does that starts; nothing was copied: stop it, and copy into a database that no server was started with`,
    )
  throw new StorageError('other', `${written} of ${read} rows of ${table.name} arrived; nothing was copied`)
}
