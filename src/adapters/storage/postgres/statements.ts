import { CompiledQuery, type Kysely, type QueryResult } from 'kysely'
import type { Tables } from '../tables.ts'
import { bound, type Sql } from './sql.ts'

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
export { requireRow as returned } from '../database.ts'

/** Sends statements of our own. */
export function statementsOn(db: Kysely<Tables>): Statements {
  const send = <Row>(statement: Sql): Promise<QueryResult<Row>> => {
    const { text, values } = bound(statement)
    return db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))
  }
  return {
    all: async <Row>(statement: Sql) => (await send<Row>(statement)).rows,
    get: async <Row>(statement: Sql) => (await send<Row>(statement)).rows[0],
    run: async (statement) => Number((await send(statement)).numAffectedRows),
  }
}
