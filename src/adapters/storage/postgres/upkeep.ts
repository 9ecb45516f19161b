import { StorageError } from '../../../chat/errors.ts'
import { useDump } from '../location.ts'
import type { Upkeep } from '../storage.ts'
import { ONLY_READS } from './errors.ts'
import type { Connections } from './connection.ts'
import { sql } from './sql.ts'

/** The care of the database. Much of it is the work of those who run PostgreSQL, with its own tools. */
export const createUpkeep = ({ transaction }: Connections): Upkeep => ({
  health: () =>
    transaction(async (tx) => {
      // A standby answers, and stores nothing.
      const state = await tx.get<{ isReadOnly: string }>(
        sql`SELECT current_setting('transaction_read_only') AS "isReadOnly"`,
      )
      if (state?.isReadOnly === 'on') throw readOnly()
    }),
  backup: () => Promise.reject(useDump()),
  // Of its pages PostgreSQL knows, which checks their sums as it reads them.
  damage: async () => undefined,
  refreshSearch: async () => undefined,
})

const readOnly = (): StorageError =>
  new StorageError('read-only', 'the database only reads just now; tell an admin', {
    forOperators: ONLY_READS,
  })
