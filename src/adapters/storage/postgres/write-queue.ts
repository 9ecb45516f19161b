import type { Serial } from '../../../lib/jobs/serial.ts'
import type { Lock } from '../locks.ts'
import type { Sql } from './sql.ts'
import type { Job } from './statements.ts'

/** `PostgresWrites` for the stores that are not yet written for both engines. */
export interface WriteQueue {
  run(statement: Sql): Promise<number>
  write<T>(job: Job<T>, ...locks: readonly Lock[]): Promise<T>
  read<T>(job: Job<T>): Promise<T>
  readonly serially: Serial
}
