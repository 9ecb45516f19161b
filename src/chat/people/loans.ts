// The port for names that guests were lent by the other servers of the same database.

import type { Fingerprint } from './person.ts'

/** A name that a guest is lent. */
export interface Loan {
  readonly name: string
  readonly skeleton: string
  readonly key: Fingerprint
  /** The name that the guest asked for. */
  readonly asked: string
}

/** The loans of all servers that are alive. */
export interface Loans {
  /** The name that another server has lent this key for that name. Rejects with `StorageError`. */
  lentBefore(asked: string, key: Fingerprint): Promise<string | undefined>
  /** False, and nothing done, where another server has lent it to another key, or somebody has it. Rejects with `StorageError`. */
  lend(loan: Loan): Promise<boolean>
  /** This server has forgotten a name. */
  forget(skeleton: string): void
  /** The key that another server has lent a name to; it knows what others did a moment ago. */
  holderOf(skeleton: string): Fingerprint | undefined
}
