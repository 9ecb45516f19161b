// The port for who is on which servers of the same database: a limit holds for all of them together.

import type { Person } from '../people/person.ts'

/** What this server knows of the others, as it was a moment ago but for `beginWithin`. No method rejects. */
export interface ServersOfPayers {
  /** Somebody has one more connection to this server. Returns what takes it away again. */
  begin(person: Pick<Person, 'id' | 'login'>): () => void
  /**
   * Likewise, where they and their key have fewer than `limit` through all servers together; undefined where they have as many. All
   * servers count it before it resolves. Where nothing can be stored, what was last known of the others decides.
   */
  beginWithin(person: Pick<Person, 'id' | 'login'>, limit: number): Promise<(() => void) | undefined>
  /** The number of servers on which a payer (payers.ts) is now, or was within a day, this one included. */
  servers(payer: string, when: 'now' | 'today'): number
}

/** Of a server that is alone. */
export const ALONE: ServersOfPayers = {
  begin: () => () => undefined,
  // What it has by itself is counted where connections come in.
  beginWithin: async () => () => undefined,
  servers: () => 1,
}
