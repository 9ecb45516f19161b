/**
 * Commands that an operator runs beside the server. Each one resolves to its exit status and rejects with
 * `StorageError`.
 */
import { copyDatabase, backupDatabase, restoreDatabase } from '../../storage/index.ts'
import { dataDirOf, type Config } from '../config/config.ts'
import type { CommandLine } from '../config/flags.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import { databaseOf, makeDataDir } from '../data-dir.ts'
import { paths } from '../../base/paths.ts'
import { askForReload } from '../reload-socket.ts'

export async function backup(config: Config, target: string): Promise<number> {
  await backupDatabase(databaseOf(config), target)
  console.log(`copied to ${target}`)
  return 0
}

export async function restore(config: Pick<Config, 'dataDir' | 'storage'>, source: string): Promise<number> {
  await makeDataDir(config.dataDir)
  const file = databaseOf(config)
  const kept = await restoreDatabase({ source, file, migrationsDir: paths.migrations, now: new Date() })
  console.log(
    kept === undefined ? `restored ${source}` : `restored ${source}; what was there is kept as ${kept}`,
  )
  return 0
}

export async function copy({ from, to }: CommandLine & { readonly verb: 'copy' }): Promise<number> {
  const copied = await copyDatabase({ from, to, migrationsDir: paths.migrations, now: () => Date.now() })
  for (const [table, rows] of copied) if (rows > 0) console.log(`${table}: ${rows}`)
  const all = [...copied.values()].reduce((sum, rows) => sum + rows, 0)
  console.log(`copied ${all} rows of ${copied.size} tables`)
  return 0
}

/** Makes the running server reload its config. Rejects if no server answers. */
export async function reload(line: CommandLine): Promise<number> {
  const { taken, problems, notes } = await askForReload(dataDirOf(line))
  for (const problem of problems) process.stderr.write(`sshawl: ${cleanLine(problem)}\n`)
  for (const note of notes) console.log(cleanLine(note))
  console.log(outcome(taken, problems.length))
  return problems.length === 0 ? 0 : 1
}

function outcome(taken: boolean, problems: number): string {
  if (!taken) return 'nothing was changed: the old config stays in force'
  return problems === 0
    ? 'the config was read again'
    : 'the config was read again and is in force, except for the files that are named above'
}
