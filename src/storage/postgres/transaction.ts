import type { PoolClient } from 'pg'
import { StorageError } from '../../words/errors.ts'
import { errorMessage } from '../../base/errors.ts'
import { isConflict, isDisconnected } from './errors.ts'
import type { Lock } from '../locks.ts'
import { lockStatements } from './locks.ts'

/** True for errors that leave the connection in an unknown state: it is not used again. */
export function isUnusable(error: unknown): boolean {
  if (error instanceof TransactionNotBegun) return true
  if (error instanceof StorageError) return isUnusable(error.cause)
  return error !== undefined && (isDisconnected(error) || /Query read timeout/.test(errorMessage(error)))
}

/** True if nothing was changed: a conflict, or the connection broke before the transaction. */
export const isRepeatable = (error: unknown): boolean =>
  isConflict(error) || error instanceof TransactionNotBegun

/** The transaction could not begin; `cause` has the reason. */
export class TransactionNotBegun extends Error {}

/** Runs the job in a transaction that holds the locks. Rejects with the driver's error after the rollback. */
export async function inTransaction<T>(
  client: PoolClient,
  job: () => Promise<T>,
  locks: readonly Lock[],
): Promise<T> {
  try {
    await begin(client, locks)
    const value = await job()
    await commit(client)
    return value
  } catch (error) {
    if (!isUnusable(error)) await client.query('ROLLBACK')
    throw error
  }
}

async function begin(client: PoolClient, locks: readonly Lock[]): Promise<void> {
  try {
    await client.query(['BEGIN', ...lockStatements(locks)].join('; '))
  } catch (cause) {
    throw isDisconnected(cause) ? new TransactionNotBegun('', { cause }) : cause
  }
}

async function commit(client: PoolClient): Promise<void> {
  try {
    await client.query('COMMIT')
  } catch (cause) {
    if (!isUnusable(cause)) throw cause
    throw new StorageError(
      'away',
      'the database server went away; look whether it was stored, and try again',
      {
        cause,
      },
    )
  }
}
