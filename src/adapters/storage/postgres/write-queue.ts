import type { Job, Statements } from './statements.ts'
import { createSerial } from '../../../lib/jobs/serial.ts'
import type { Lock } from './locks.ts'
import type { Sql } from './sql.ts'

/**
 * Work that is done in the order in which it was asked for, as SQLite's one writer does it: of two calls that overlap, the later one
 * finds what the earlier one did. Each store has a write queue of its own, so that no store waits for another.
 */
export interface WriteQueue {
  /** One statement, which is a transaction of its own. */
  run(statement: Sql): Promise<number>
  /** A transaction that holds these locks. */
  write<T>(job: Job<T>, ...locks: readonly Lock[]): Promise<T>
  /** Reads what was written before. */
  read<T>(job: (statements: Statements) => Promise<T>): Promise<T>
  /** Does something in its turn. */
  serially<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when nothing is under way. Never rejects. */
  settled(): Promise<void>
}

/** What a write queue needs of the connections. All of it rejects with `StorageError` only. */
interface Ways {
  readonly read: Statements
  /** Sends a statement that is not part of a transaction. */
  readonly run: (statement: Sql) => Promise<number>
  readonly transaction: <T>(job: Job<T>, locks: readonly Lock[]) => Promise<T>
}

export function createWriteQueue({ read, run, transaction }: Ways): WriteQueue {
  const serially = createSerial()
  return {
    run: (statement) => serially(() => run(statement)),
    write: (job, ...locks) => serially(() => transaction(job, locks)),
    read: (job) => serially(() => job(read)),
    serially,
    settled: () => serially(() => undefined),
  }
}
