import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createLog } from '../../adapters/log/pino-log.ts'
import { createComposer } from '../../adapters/lua/composer.ts'
import { describeSandbox, probeSandbox } from '../../adapters/sandbox/probe.ts'
import { checkDatabase, openStorage } from '../../adapters/storage/open.ts'
import type { Storage } from '../../adapters/storage/storage.ts'
import { busProblem } from '../../adapters/wire/wire.ts'
import { StorageError } from '../../chat/errors.ts'
import { loadConfig, type Config } from '../../config/config.ts'
import { ownRoomsDir } from '../../config/directories.ts'
import { ConfigError } from '../../config/environment.ts'
import type { CommandLine } from '../../config/flags.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { WrapError } from '../../prompt/ports.ts'
import { refusedParameter } from '../../toolbox/scoped-tools.ts'
import { sanitizeDefinition } from '../../toolbox/tool-texts.ts'
import type { Tool } from '../../tools/tool.ts'
import { DATABASE, dataDirProblem } from '../data-dir.ts'
import { hostKeyProblems } from '../host-keys.ts'
import { paths } from '../paths.ts'
import { located, openTools } from '../tools/tool-sources.ts'
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
  const warnings = config ? [...(await roomsDirWarnings(config)), ...(await busWarnings(config))] : []
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

/** A line if other users can change the files in `rooms_dir`. */
async function roomsDirWarnings({
  dataDir,
  sandbox: { rooms_dir: dir },
}: Pick<Config, 'dataDir' | 'sandbox'>): Promise<readonly string[]> {
  if (dir === ownRoomsDir(dataDir)) return []
  const facts = await stat(dir)
  const own = process.getuid?.()
  // Root looks at what belongs to the server's user.
  const owner = own === 0 || facts.uid === own ? [] : [`belongs to the user ${facts.uid}, and this is ${own}`]
  const group = facts.mode & 0o020 ? [`can be written by the group ${facts.gid}`] : []
  return [...owner, ...group].map(
    (what) => `sandbox.rooms_dir: ${dir} ${what}: they can change the files of all rooms`,
  )
}

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

/** Only problems make the check fail. */
interface Findings {
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  readonly notes: readonly string[]
}

const NOTHING_FOUND: Findings = { problems: [], warnings: [], notes: [] }

/** Applies the migrations to an empty database and, if that works, reads the `.tool` files, whose tools need a store. */
async function storageAndTools(config: Config): Promise<Findings> {
  try {
    await using storage = await openStorage({
      file: ':memory:',
      migrationsDir: paths.migrations,
      clock: { now: () => Date.now() },
      log: createLog('silent'),
    })
    return await toolFiles(config, storage)
  } catch (error) {
    if (error instanceof StorageError) return { ...NOTHING_FOUND, problems: [error.forOperators] }
    throw error
  }
}

async function toolFiles(config: Config, storage: Storage): Promise<Findings> {
  await using tools = await openTools(config, storage, createLog('silent'))
  const { modules, wrapped } = tools
  const all = [...tools.builtin(), ...modules.tools(), ...wrapped.tools()]
  return {
    problems: await tools.problems(),
    warnings: [...wrapped.warnings().map(located), ...notSent(config, all)],
    notes: [
      ...wrapped.replaced().map(({ file, by }) => `${by} takes the place of ${file}`),
      ...all.flatMap(({ id, aliasOf, unavailable }) =>
        unavailable === undefined || aliasOf !== undefined ? [] : `${id} cannot run here: ${unavailable}`,
      ),
    ],
  }
}

/** A line for each tool that cannot be sent to models, or that a model's provider would refuse. */
function notSent({ models }: Config, tools: readonly Tool[]): readonly string[] {
  return tools.flatMap((tool) => {
    const words = sanitizeDefinition(tool)
    if (words.problem !== undefined) return [`${tool.id} is hidden: ${words.problem}`]
    return models.flatMap(({ name, framing, enabled }) => {
      const reason = enabled ? refusedParameter(framing, words) : undefined
      return reason === undefined ? [] : [`@${name} is not offered ${tool.id}: ${reason}`]
    })
  })
}
