import type { QueryConfig } from 'pg'
import { bound, type Sql } from './sql.ts'
import { toStored, VALUE_TYPES } from './values.ts'

/** Where statements are sent to. Rejects with what the driver throws. */
export interface Statements {
  all<Row>(statement: Sql): Promise<readonly Row[]>
  /** The first row, if there is any. */
  get<Row>(statement: Sql): Promise<Row | undefined>
  /** How many rows were changed. */
  run(statement: Sql): Promise<number>
}

/** Work within a transaction. It may be done again from its beginning where another one was in its way. */
export type Job<T> = (transaction: Statements) => Promise<T>

/** The row that a statement ending in RETURNING always gives. */
export function returned<T>(row: T | undefined): T {
  if (row === undefined) throw new Error('the statement returned no row')
  return row
}

interface Result {
  readonly rows: readonly unknown[]
  readonly rowCount: number | null
}

/** Sends statements by a function of the driver. */
export function statementsOn(query: (config: QueryConfig) => Promise<Result>): Statements {
  const send = (statement: Sql): Promise<Result> => {
    const { text, values } = bound(statement)
    return query({ text, values: values.map(toStored), types: VALUE_TYPES })
  }
  return {
    all: async <Row>(statement: Sql) => (await send(statement)).rows as readonly Row[],
    get: async <Row>(statement: Sql) => (await send(statement)).rows[0] as Row | undefined,
    run: async (statement) => (await send(statement)).rowCount ?? 0,
  }
}
