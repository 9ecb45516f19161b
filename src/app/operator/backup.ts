import { join } from 'node:path'
import { backupDatabase } from '../../adapters/storage/open.ts'
import type { Config } from '../../config/config.ts'

/** Copies the database, also of a running server; resolves to the exit status. Rejects with `StorageError`. */
export async function backup(config: Config, target: string): Promise<number> {
  await backupDatabase(join(config.dataDir, DATABASE), target)
  console.log(`copied to ${target}`)
  return 0
}

/** The database's name in the data directory. */
export const DATABASE = 'sshawl.db'
