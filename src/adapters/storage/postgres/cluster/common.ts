import type { CommonStore } from '../../../../cluster/ports.ts'
import type { Connections } from '../connection.ts'
import { sql } from '../sql.ts'
import { returned } from '../statements.ts'

/** The table `secrets`, which only its owner reads, and the clock. */
export const createCommonStore = ({ read, transaction }: Connections): CommonStore => ({
  secret: (name, made) =>
    transaction(async (tx) => {
      await tx.run(sql`INSERT INTO secrets (name, value) VALUES (${name}, ${made}) ON CONFLICT DO NOTHING`)
      const row = await tx.get<{ value: string }>(sql`SELECT value FROM secrets WHERE name = ${name}`)
      return returned(row).value
    }),
  async now() {
    const row = await read.get<{ now: number }>(
      sql`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now`,
    )
    return returned(row).now
  },
})
