// The port for who is on which servers of the same database: a limit holds for all of them together.

import type { Person } from '../people/person.ts'

/** What this server knows of the others, as it was a moment ago. No method rejects. */
export interface Shares {
  /** Somebody has one more connection to this server. Returns what takes it away again. */
  begin(person: Pick<Person, 'id' | 'login'>): () => void
  /** The number of servers on which a payer (payers.ts) is now, or was within a day, this one included. */
  servers(payer: string, when: 'now' | 'today'): number
  /** How many connections a payer has through other servers. */
  connectionsElsewhere(payer: string): number
}

/** Of a server that is alone. */
export const ALONE: Shares = {
  begin: () => () => undefined,
  servers: () => 1,
  connectionsElsewhere: () => 0,
}
