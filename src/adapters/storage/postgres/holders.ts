import type { Log } from '../../../chat/ports.ts'
import { errorCode } from '../../../lib/errors.ts'
import { type Lock, ownedNow } from './locks.ts'
import type { Statements } from './statements.ts'

/** A statement that waited for a lock in vain. */
const WAITED_IN_VAIN = '55P03'

/** A connection that has what a transaction waits for. Whoever may connect to the database can take such a lock. */
interface Holder {
  readonly pid: number
  readonly role: string
  readonly application: string
}

/** Says in the log who has one of these locks, where that is why a transaction failed. Never rejects. */
export async function tellHolders(
  error: unknown,
  locks: readonly Lock[],
  { statements, log }: { readonly statements: Statements; readonly log: Log | undefined },
): Promise<void> {
  if (errorCode(error) !== WAITED_IN_VAIN || locks.length === 0 || !log) return
  const holders = await statements.all<Holder>(ownedNow(locks)).catch(() => [])
  if (holders.length > 0) log.warn({ holders }, 'others hold what was to be changed')
}
