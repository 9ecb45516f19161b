import type { Migration } from '../../migrations.ts'
import { statementsOf } from '../expansion/reading.ts'
import { ownOf } from '../expansion/statements.ts'

/** What the migrations make, with which others' tables in the same schema are told from ours. */
export interface OwnNames {
  /** With the record of migrations. */
  readonly tables: readonly string[]
  /** Those that every database of ours has. */
  readonly oldest: readonly string[]
  readonly functions: readonly string[]
}

export function ownNames(migrations: readonly Migration[]): OwnNames {
  const made = migrations.map(({ sql }) => ownOf(statementsOf(sql)))
  return {
    tables: [RECORD, ...made.flatMap(({ tables }) => [...tables])],
    oldest: [RECORD, ...(made[0]?.tables ?? [])],
    functions: made.flatMap(({ functions }) => [...functions]),
  }
}

/** The table in which migrations are recorded. */
export const RECORD = 'migrations'
