import { join } from 'node:path'
import { backupDatabase } from '../../adapters/storage/open.ts'
import type { Config } from '../../config/config.ts'

/** Copies the database, also of a running server; resolves to the exit status. Rejects with `StorageError`. */
export async function backup(config: Config, target: string): Promise<number> {
  await backupDatabase(databaseOf(config), target)
  console.log(`copied to ${target}`)
  return 0
}

/** Where a server with this config stores its rooms: a file, or the URL of PostgreSQL's. */
export const databaseOf = ({ dataDir, storage }: Pick<Config, 'dataDir' | 'storage'>): string =>
  storage.url ?? join(dataDir, DATABASE)

/** The database's name in the data directory. */
export const DATABASE = 'sshawl.db'
