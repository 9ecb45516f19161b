import type { Connection, Job, Statements } from './connection.ts'
import type { Lock } from './locks.ts'
import type { Sql } from './sql.ts'

/**
 * Work that is done in the order in which it was asked for, as SQLite's one writer does it: of two calls that overlap, the later one
 * finds what the earlier one did. Each store has a lane of its own, so that no store waits for another.
 */
export interface Lane {
  /** One statement, which is a transaction of its own. */
  run(statement: Sql): Promise<number>
  /** A transaction that holds these locks. */
  write<T>(job: Job<T>, ...locks: readonly Lock[]): Promise<T>
  /** Reads what was written before. */
  read<T>(job: (statements: Statements) => Promise<T>): Promise<T>
  /** Does something in its turn. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when nothing is under way. Never rejects. */
  settled(): Promise<void>
}

/** `runAlone` sends a statement that is not part of a transaction. */
export function createLane(
  { read, transaction }: Pick<Connection, 'read' | 'transaction'>,
  runAlone: (statement: Sql) => Promise<number>,
): Lane {
  let last: Promise<unknown> = Promise.resolve()

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }

  return {
    run: (statement) => inTurn(() => runAlone(statement)),
    write: (job, ...locks) => inTurn(() => transaction(job, locks)),
    read: (job) => inTurn(() => job(read)),
    inTurn,
    async settled() {
      await last
    },
  }
}
