import type { CommonStore } from '../../../../cluster/ports.ts'
import type { Connections } from '../connection.ts'
import { MIGRATIONS } from '../locks.ts'
import { raw, sql } from '../sql.ts'
import { returned, type Statements } from '../statements.ts'

/** The table `secrets`, which only its owner reads, and the clock. Its rights are a part of the schema. */
export const createCommonStore = ({ read, transaction }: Connections): CommonStore => ({
  secret: (name, made) =>
    transaction(
      async (tx) => {
        const added = await tx.run(
          sql`INSERT INTO secrets (name, value) VALUES (${name}, ${made}) ON CONFLICT DO NOTHING`,
        )
        if (added > 0) await keepToOwner(tx)
        const row = await tx.get<{ value: string }>(sql`SELECT value FROM secrets WHERE name = ${name}`)
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

/** Whoever cares for the database may have given others rights on every new table. */
async function keepToOwner(tx: Statements): Promise<void> {
  const readers = await tx.all<{ name: string }>(sql`
    SELECT DISTINCT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS name
    FROM pg_class CROSS JOIN LATERAL aclexplode(relacl) WHERE oid = 'secrets'::regclass AND grantee <> relowner`)
  for (const { name } of readers) await tx.run(raw(`REVOKE ALL ON secrets FROM ${name}`))
}
