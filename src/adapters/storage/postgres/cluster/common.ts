import type { CommonStore } from '../../../../cluster/stores.ts'
import type { Connections } from '../connection.ts'
import { MIGRATIONS } from '../locks.ts'
import { sql } from '../sql.ts'
import { returned } from '../statements.ts'

/** The table `secrets`, and the clock. */
export const createCommonStore = ({ read, transaction }: Connections): CommonStore => ({
  claimCode: (made) =>
    transaction(
      async (tx) => {
        await tx.run(sql`INSERT INTO secrets (name, value) VALUES ('claim', ${made}) ON CONFLICT DO NOTHING`)
        const row = await tx.get<{ value: string }>(sql`SELECT value FROM secrets WHERE name = 'claim'`)
        return returned(row).value
      },
      [MIGRATIONS],
    ),
  async now() {
    const row = await read.get<{ now: number }>(
      sql`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now`,
    )
    return returned(row).now
  },
})
