import { restoreDatabase } from '../../adapters/storage/open.ts'
import type { Config } from '../../config/config.ts'
import { databaseOf } from './backup.ts'
import { makeDataDir } from '../data-dir.ts'
import { paths } from '../paths.ts'

/** Puts a backup in the place of the database; resolves to the exit status. Rejects with `StorageError`. */
export async function restore(config: Pick<Config, 'dataDir' | 'storage'>, source: string): Promise<number> {
  await makeDataDir(config.dataDir)
  const file = databaseOf(config)
  const kept = await restoreDatabase({ source, file, migrationsDir: paths.migrations, now: new Date() })
  console.log(
    kept === undefined ? `restored ${source}` : `restored ${source}; what was there is kept as ${kept}`,
  )
  return 0
}
