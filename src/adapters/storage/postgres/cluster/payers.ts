import type { PayerCount, PayerRow, PayerStore } from '../../../../cluster/ports.ts'
import type { ServerId } from '../../../../cluster/server-id.ts'
import type { Connections } from '../connection.ts'
import { connectionsOf } from '../locks.ts'
import { sql } from '../sql.ts'
import type { Statements } from '../statements.ts'

/** How long it counts that somebody was on a server. */
const KEPT = '1 day'

/** The table `payers`. */
export function createPayerStore({ read, writeQueue }: Connections, self: ServerId): PayerStore {
  const writes = writeQueue()
  return {
    put: (counts) =>
      writes.write(async (tx) => {
        await tx.run(sql`DELETE FROM payers WHERE server = ${self} AND connections = 0 AND until < now()`)
        await put(tx, counts, self)
      }),
    take: (payers, choose) =>
      writes.write(
        async (tx) => {
          const rows = await tx.all<PayerCount>(sql`
          SELECT payer, sum(connections)::bigint AS connections FROM payers
          WHERE server <> ${self} AND payer = ANY(${payers}) GROUP BY payer`)
          const counts = choose(new Map(rows.map(({ payer, connections }) => [payer, connections])))
          if (counts.length > 0) await put(tx, counts, self)
        },
        ...payers.map(connectionsOf),
      ),
    elsewhere: (payers) =>
      read.all<PayerRow>(sql`
        SELECT payer, server, connections FROM payers WHERE server <> ${self}
          AND (${payers ?? null}::text[] IS NULL OR payer = ANY(${payers ?? null}::text[]))`),
  }
}

const put = (tx: Statements, counts: readonly PayerCount[], self: ServerId): Promise<number> =>
  tx.run(sql`
    INSERT INTO payers (payer, server, connections, until)
    SELECT payer, ${self}, connections, now() + ${KEPT}::interval
    FROM unnest(${counts.map(({ payer }) => payer)}::text[], ${counts.map(({ connections }) => connections)}::bigint[])
      AS counted (payer, connections)
    ON CONFLICT (payer, server) DO UPDATE SET connections = excluded.connections, until = excluded.until`)
