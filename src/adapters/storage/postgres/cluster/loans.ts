import type { LoanRow, LoanStore, ServerId } from '../../../../cluster/stores.ts'
import type { Connections } from '../connection.ts'
import { NAMES } from '../../locks.ts'
import { sql } from '../sql.ts'

/** The table `lent_names`. A loan of a server that has died counts for nothing, and goes in the end. */
export function createLoanStore({ read, writeQueue }: Connections, self: ServerId): LoanStore {
  const writes = writeQueue()
  return {
    lend: ({ name, skeleton, key, asked }) =>
      writes.write(async (tx) => {
        await tx.run(sql`
          DELETE FROM lent_names WHERE at < now() - interval '10 minutes' AND server NOT IN (SELECT id FROM servers)`)
        const lent = await tx.run(sql`
          INSERT INTO lent_names (skeleton, server, name, fingerprint, asked)
          SELECT ${skeleton}, ${self}, ${name}, ${key}, ${asked}
          WHERE NOT EXISTS (SELECT 1 FROM lent_names JOIN servers ON servers.id = server
              WHERE skeleton = ${skeleton} AND server <> ${self} AND fingerprint <> ${key})
            AND NOT EXISTS (SELECT 1 FROM people WHERE skeleton = ${skeleton})
          ON CONFLICT (skeleton, server) DO UPDATE SET fingerprint = excluded.fingerprint, asked = excluded.asked`)
        return lent > 0
      }, NAMES),
    async forget(skeleton) {
      await writes.run(sql`DELETE FROM lent_names WHERE skeleton = ${skeleton} AND server = ${self}`)
    },
    async lentBefore(asked, key) {
      const row = await read.get<{ name: string }>(sql`
        SELECT lent_names.name FROM lent_names JOIN servers ON servers.id = server
        WHERE fingerprint = ${key} AND asked = ${asked} AND server <> ${self} ORDER BY at, skeleton LIMIT 1`)
      return row?.name
    },
    elsewhere: (skeletons) =>
      read.all<LoanRow>(sql`
        SELECT skeleton, fingerprint AS key FROM lent_names JOIN servers ON servers.id = server
        WHERE server <> ${self} AND (${skeletons ?? null}::text[] IS NULL OR skeleton = ANY(${skeletons ?? null}::text[]))`),
  }
}
