// A PostgreSQL database as storage, which several servers may use at once: a file for each port of the core, each over the same Connections.
// Rules that SQLite keeps because it has one writer are kept here by unique indexes and locks (locks.ts). Rows are the core's own
// values: nothing here judges them.

import type { Clock, Log } from '../../../chat/ports.ts'
import { readMigrations } from '../migrations.ts'
import type { Storage } from '../storage.ts'
import { ulid } from 'ulid'
import type { ServerId } from '../../../cluster/server-id.ts'
import { createClusterStores } from './cluster/stores.ts'
import { createConnections } from './connection.ts'
import { migrate } from './migrations.ts'
import { createStores } from './stores.ts'

/** Where the database is and what it needs. */
export interface PostgresOptions {
  /** `postgres://USER:PASSWORD@HOST/DATABASE`; it is shown nowhere. */
  readonly url: string
  /** Of PostgreSQL's migrations. */
  readonly migrationsDir: string
  readonly clock: Clock
  readonly log: Log
}

/** Storage in a PostgreSQL database, which is brought to the newest schema first. Rejects with `StorageError`. */
export async function openPostgres({ url, migrationsDir, clock, log }: PostgresOptions): Promise<Storage> {
  const migrations = readMigrations(migrationsDir)
  // Its connections have its name, which is how PostgreSQL tells whose change something is.
  const server = `sshawl ${ulid()}` as ServerId
  const connection = createConnections(url, { log, name: server })
  try {
    await migrate(connection, migrations, () => clock.now())
    log.info({ database: locationOf(url), schema: migrations.length }, 'database opened')
    return {
      ...createStores(connection),
      cluster: createClusterStores(connection, { url, server, log }),
      [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
    }
  } catch (error) {
    await connection[Symbol.asyncDispose]()
    throw error
  }
}

/** The address without the user, the password and the parameters. */
export function locationOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
