import type { Migration } from '../migrations.ts'
import type { Connections } from './connection.ts'
import { explaining } from './role/explaining.ts'
import { lackOf } from './role/role.ts'
import { migrate } from './schema/migrations.ts'

/** Who wants to serve with a database, or to fill it. */
interface Preparing {
  readonly url: string
  readonly now: () => number
}

/**
 * Brings the database to the newest schema. Rejects with `StorageError`, in the words of `sshawl check` where it is for what the role
 * lacks. Before anything is made, it is looked whether the role has its tables elsewhere.
 */
export async function prepare(
  connection: Connections,
  migrations: readonly Migration[],
  { url, now }: Preparing,
): Promise<void> {
  const work = async (): Promise<void> => {
    const lack = await lackOf(connection, migrations, 'serving')
    if (lack?.reason === 'other') throw lack
    await migrate(connection, migrations, now)
  }
  await explaining(work(), { url, connection, migrations, use: 'serving' })
}
