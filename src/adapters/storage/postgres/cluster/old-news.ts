import type { Connections } from '../connection.ts'
import { sql } from '../sql.ts'
import { returned } from '../statements.ts'

/** How often it is looked what is old, in milliseconds. */
export const LOOK_MS = 60_000

/**
 * What was there so many looks ago is old. No clock says how old a row is: the database's may be set forward, and then somebody who
 * stood still for a second would not read what went meanwhile. A look that fails does not count: where this server was cut off, others
 * may have been, too. Whoever did not read for so many looks has lost its lease.
 */
export const KEPT_LOOKS = 10

/** The highest numbers at one look. */
interface Numbers {
  readonly news: number
  readonly orders: number
}

/** Returns what removes old news, and the orders that they tell of. To be called each `LOOK_MS`; it rejects with `StorageError`. */
export function createOldNews({ read, transaction }: Connections): () => Promise<void> {
  let looks: readonly Numbers[] = []
  return async () => {
    const row = await read.get<Numbers>(sql`
      SELECT coalesce((SELECT max(id) FROM news), 0) AS news, coalesce((SELECT max(id) FROM orders), 0) AS orders`)
    looks = [...looks, returned(row)].slice(-KEPT_LOOKS - 1)
    const [old] = looks
    if (!old || looks.length <= KEPT_LOOKS) return
    await transaction(async (tx) => {
      // The newest of them stays: from it each reader tells what it has missed.
      await tx.run(sql`DELETE FROM news WHERE id < ${old.news}`)
      await tx.run(sql`DELETE FROM orders WHERE id < ${old.orders}`)
    })
  }
}
