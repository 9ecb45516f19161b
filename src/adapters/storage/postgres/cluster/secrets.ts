import type { SecretStore } from '../../../../cluster/ports.ts'
import type { Connections } from '../connection.ts'
import { sql } from '../sql.ts'
import { returned } from '../statements.ts'

/** The table `secrets`, which only its owner reads. */
export const createSecretStore = ({ transaction }: Connections): SecretStore => ({
  common: (name, made) =>
    transaction(async (tx) => {
      await tx.run(sql`INSERT INTO secrets (name, value) VALUES (${name}, ${made}) ON CONFLICT DO NOTHING`)
      const row = await tx.get<{ value: string }>(sql`SELECT value FROM secrets WHERE name = ${name}`)
      return returned(row).value
    }),
})
