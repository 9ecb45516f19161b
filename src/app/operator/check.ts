// What an operator runs beside the server: check, audit, backup, restore and reload. These must not know what a session is.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { busProblem } from '../../adapters/wire/wire.ts'
import { createLog } from '../../adapters/log/pino-log.ts'
import { createComposer } from '../../adapters/lua/composer.ts'
import { describeSandbox, probeSandbox } from '../../adapters/sandbox/probe.ts'
import { checkDatabase } from '../../adapters/storage/open.ts'
import { StorageError } from '../../chat/errors.ts'
import { loadConfig, type Config } from '../../config/config.ts'
import type { CommandLine } from '../../config/flags.ts'
import { ConfigError } from '../../config/environment.ts'
import { DATABASE } from './backup.ts'
import { dataDirProblem } from '../data-dir.ts'
import { NOTHING_FOUND, storageAndTools } from './check-tools.ts'
import { hostKeyProblems } from '../host-keys.ts'
import { paths } from '../paths.ts'
import { roomsDirWarnings } from './rooms-dir.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { WrapError } from '../../prompt/ports.ts'
import { trialSnapshot } from './trial-snapshot.ts'

/**
 * Validates config, Lua, tool modules, `.tool` files, migrations and the database without starting anything, and prints
 * every problem with its file and line. Resolves to the exit status: 1 if there is any.
 */
export async function check(line: CommandLine): Promise<number> {
  const { config, problems } = readConfig(line)
  const tools = config ? await storageAndTools(config) : NOTHING_FOUND
  const found = config
    ? [
        ...problems,
        ...(await hostKeyProblems(config)),
        ...(await dataProblems(config)),
        ...(await luaProblems(config)),
        ...tools.problems,
      ]
    : problems
  for (const problem of found) print(problem)
  const warnings = config ? await warningsOf(config) : []
  for (const warning of [...warnings, ...tools.warnings]) print(`warning: ${warning}`)
  for (const note of tools.notes) print(`note: ${note}`)
  if (config) console.log(await sandboxLine(config))
  console.log(
    found.length === 0 ? 'no problems' : `${found.length} ${found.length === 1 ? 'problem' : 'problems'}`,
  )
  return found.length === 0 ? 0 : 1
}

/** Files that are checked come from anybody: what is quoted from them must not reach the terminal as it is. */
const print = (line: string): void => console.log(cleanLine(line))

function readConfig(line: CommandLine): { config?: Config; problems: readonly string[] } {
  try {
    return { config: loadConfig(line), problems: [] }
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems }
    throw error
  }
}

/** In a directory that cannot be written, SQLite does not open a database either. */
async function dataProblems(config: Config): Promise<readonly string[]> {
  const problem = await dataDirProblem(config.dataDir)
  return problem === undefined ? await databaseProblems(config) : [problem]
}

/** Looks through the whole database, if there is one, also while a server uses it. */
async function databaseProblems({ dataDir, storage: { url } }: Config): Promise<readonly string[]> {
  const file = join(dataDir, DATABASE)
  if (url === undefined && !existsSync(file) && !existsSync(`${file}-wal`)) return []
  try {
    const damage = await checkDatabase(url ?? file, paths.migrations)
    return damage === undefined
      ? []
      : [`${file}: damaged (${damage}); put a backup in its place with sshawl restore FILE`]
  } catch (error) {
    if (error instanceof StorageError)
      return [`${url === undefined ? file : 'storage.url'}: ${error.forOperators}`]
    throw error
  }
}

/** What a server starts with in spite of it. */
const warningsOf = async (config: Config): Promise<readonly string[]> => [
  ...(await roomsDirWarnings(config)),
  ...(await busWarnings(config)),
]

/** A server starts without its bus, and looks for it for ever. */
async function busWarnings({ bus }: Config): Promise<readonly string[]> {
  const problem = bus && (await busProblem(bus, createLog('silent')))
  return problem === undefined
    ? []
    : [`bus: ${problem}; a server starts without it, and lines of other servers come up to a second later`]
}

/** What is checked is Lua: these tables are loaded in half a second less than the usual ones. */
const QUICK_ENCODING = 'r50k_base'

/** Composes a trial prompt with the bundled Lua: it must compile, load every layer and fit. */
async function luaProblems(config: Config): Promise<readonly string[]> {
  try {
    await using composer = createComposer({
      entry: paths.wrapProcess,
      packageRoot: paths.root,
      engine: config.lua.engine,
      size: 1,
      encodings: [],
      log: createLog('silent'),
    })
    const trial = trialSnapshot()
    await composer.check('', { ...trial, model: { ...trial.model, encoding: QUICK_ENCODING } })
    return []
  } catch (error) {
    if (error instanceof WrapError) return [`lua: ${error.message}`]
    throw error
  }
}

async function sandboxLine(config: Config): Promise<string> {
  if (config.sandbox.mode === 'none')
    return 'sandbox: none, as configured: commands run with the rights of the server'
  const state = await probeSandbox()
  return state.works
    ? `sandbox: ${state.version}; ${config.sandbox.memory_mb} MiB of memory; ${describeSandbox(state.strength)}`
    : `sandbox: commands are refused: ${state.reason}`
}
