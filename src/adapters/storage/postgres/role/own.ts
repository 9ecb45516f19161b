import type { Migration } from '../../migrations.ts'
import { statementsOf } from '../expansion/reading.ts'
import { ownOf } from '../expansion/statements.ts'
import { RECORD } from '../record.ts'

/** What the migrations make, with which others' tables in the same schema are told from ours. */
export interface OwnNames {
  /** With the record of migrations. */
  readonly tables: readonly string[]
  readonly functions: readonly string[]
}

export function ownNames(migrations: readonly Migration[]): OwnNames {
  const made = migrations.map(({ sql }) => ownOf(statementsOf(sql)))
  return {
    tables: [RECORD, ...made.flatMap(({ tables }) => [...tables])],
    functions: made.flatMap(({ functions }) => [...functions]),
  }
}
