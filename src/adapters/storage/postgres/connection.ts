import type { Lock } from '../locks.ts'
import { createPostgresDatabase, type PostgresDatabase, type PostgresSettings } from './database.ts'
import type { Sql } from './sql.ts'
import { type Job, type Statements, statementsOn } from './statements.ts'
import type { WriteQueue } from './write-queue.ts'

/**
 * The database for the stores that are not yet written for both engines. Rejects with `StorageError` only.
 */
export interface Connections extends AsyncDisposable {
  /** For the stores that both engines share. */
  readonly database: PostgresDatabase
  /** Single statements that change nothing. */
  readonly read: Statements
  /** A transaction that holds these locks until its end. Resolves after the commit. */
  readonly transaction: <T>(job: Job<T>, locks?: readonly Lock[]) => Promise<T>
  /** Another line of writes, which are done in the order of the calls. */
  readonly writeQueue: () => WriteQueue
}

/** Nothing is connected before the first statement. */
export function createConnections(url: string, settings?: PostgresSettings): Connections {
  const database = createPostgresDatabase(url, settings)
  return {
    database,
    read: {
      all: <Row>(statement: Sql) => database.read((db) => statementsOn(db).all<Row>(statement)),
      get: <Row>(statement: Sql) => database.read((db) => statementsOn(db).get<Row>(statement)),
      run: (statement) => database.read((db) => statementsOn(db).run(statement)),
    },
    transaction: (job, locks) => database.transaction((db) => job(statementsOn(db)), locks),
    writeQueue() {
      const { serially, write, statement, inOrder } = database.writes()
      return {
        serially,
        run: (one) => statement((db) => statementsOn(db).run(one)),
        write: (job, ...locks) => write((db) => job(statementsOn(db)), ...locks),
        read: (job) => inOrder((db) => job(statementsOn(db))),
      }
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
