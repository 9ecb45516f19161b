import { copyDatabase } from '../../adapters/storage/copy.ts'
import type { CommandLine } from '../../config/flags.ts'
import { paths } from '../paths.ts'

/** Moves all that is stored between a file and PostgreSQL, and prints what; resolves to the exit status. Rejects with `StorageError`. */
export async function copy({ from, to }: CommandLine & { readonly verb: 'copy' }): Promise<number> {
  const copied = await copyDatabase({ from, to, migrationsDir: paths.migrations, now: () => Date.now() })
  for (const [table, rows] of copied) if (rows > 0) console.log(`${table}: ${rows}`)
  const all = [...copied.values()].reduce((sum, rows) => sum + rows, 0)
  console.log(`copied ${all} rows of ${copied.size} tables`)
  return 0
}
