import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createLog } from '../pino-log.ts'
import { createComposer } from '../../wrap/lua/index.ts'
import { describeSandbox, probeSandbox } from '../../sandbox/index.ts'
import { checkDatabase, openStorage, roomNamesIn } from '../../storage/index.ts'
import { busProblem } from '../../cluster/wire/index.ts'
import { StorageError } from '../../words/errors.ts'
import { isOpenToStrangers, loadConfig, namedRooms, type Config } from '../config/config.ts'
import { ownRoomsDir } from '../config/directories.ts'
import { ConfigError } from '../config/environment.ts'
import type { CommandLine } from '../config/flags.ts'
import { counted } from '../../base/amounts.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import { WrapError } from '../../wrap/index.ts'
import { refusedParameter } from '../../turns/index.ts'
import { sanitizeDefinition } from '../../wrap/toolbox/index.ts'
import type { Tool } from '../../tools/index.ts'
import { DATABASE, dataDirProblem } from '../data-dir.ts'
import { hostKeyProblems } from '../host-keys.ts'
import { paths } from '../../base/paths.ts'
import { located, openTools } from '../tools/tool-sources.ts'
import { trialSnapshot } from './trial-snapshot.ts'

/** Lines to print. Only problems make the check fail. */
interface Findings {
  readonly problems: string[]
  readonly warnings: string[]
  readonly notes: string[]
}

/**
 * Validates everything without starting anything, and prints the findings. Resolves to 1 if there is a
 * problem.
 */
export async function check(line: CommandLine): Promise<number> {
  const found: Findings = { problems: [], warnings: [], notes: [] }
  const config = await collectProblem(found, () => loadConfig(line))
  if (config) {
    found.problems.push(...(await hostKeyProblems(config)))
    await checkData(config, found)
    await collectProblem(found, () => checkLua(config))
    await checkRoomsDir(config, found)
    await checkBus(config, found)
    found.warnings.push(...strangerWarnings(config), ...webhooksForAll(config))
    found.notes.push(...routinesOfStrangers(config))
    await collectProblem(found, () => checkMigrationsAndTools(config, found))
  }
  // Files may come from anybody, so quotes from them must not control the terminal.
  const print = (text: string): void => console.log(cleanLine(text))
  for (const problem of found.problems) print(problem)
  for (const warning of found.warnings) print(`warning: ${warning}`)
  for (const note of found.notes) print(`note: ${note}`)
  if (config) console.log(await sandboxLine(config))
  const { length: count } = found.problems
  console.log(count === 0 ? 'no problems' : counted(count, 'problem'))
  return count === 0 ? 0 : 1
}

/** Records errors that explain themselves as problems; `place` is put before storage errors. */
async function collectProblem<T>(
  found: Findings,
  work: () => T | Promise<T>,
  place = '',
): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ConfigError) found.problems.push(...error.problems)
    else if (error instanceof StorageError) found.problems.push(place + error.forOperators)
    else if (error instanceof WrapError) found.problems.push(`lua: ${error.message}`)
    else throw error
    return undefined
  }
}

/** Checks the whole database if it exists, also while a server uses it. */
async function checkData(config: Config, found: Findings): Promise<void> {
  const { dataDir, storage } = config
  const { url } = storage
  const problem = await dataDirProblem(dataDir)
  // SQLite cannot open a database in a read-only directory.
  if (problem !== undefined) return void found.problems.push(problem)
  const file = join(dataDir, DATABASE)
  if (url === undefined && !existsSync(file) && !existsSync(`${file}-wal`)) return
  const place = url === undefined ? file : 'storage.url'
  const damage = await collectProblem(found, () => checkDatabase(url ?? file, paths.migrations), `${place}: `)
  if (damage !== undefined)
    found.problems.push(`${file}: damaged (${damage}); put a backup in its place with sshawl restore FILE`)
  // A database of another version is migrated at the start.
  const rooms = await roomNamesIn(url ?? file, paths.migrations).catch(() => undefined)
  for (const [name, key] of rooms ? namedRooms(config) : [])
    if (!rooms?.includes(name))
      found.notes.push(`${key}: there is no room ${name}; only an admin can make it, with /create`)
}

/** The tables of this encoding load half a second faster than the default ones. */
const QUICK_ENCODING = 'r50k_base'

/** Composes a trial prompt with the bundled Lua. */
async function checkLua({ lua }: Config): Promise<void> {
  await using composer = createComposer({
    entry: paths.wrapProcess,
    packageRoot: paths.root,
    engine: lua.engine,
    size: 1,
    encodings: [],
    log: createLog('silent'),
  })
  const trial = trialSnapshot()
  await composer.check('', { ...trial, model: { ...trial.model, encoding: QUICK_ENCODING } })
}

/** Applies the migrations to an empty database, then reads the `.tool` files, whose tools need a store. */
async function checkMigrationsAndTools(config: Config, found: Findings): Promise<void> {
  const log = createLog('silent')
  await using storage = await openStorage({
    file: ':memory:',
    migrationsDir: paths.migrations,
    clock: { now: () => Date.now() },
    log,
  })
  await using tools = await openTools(config, storage, log)
  const { modules, wrapped } = tools
  const all = [...tools.builtin(), ...modules.tools(), ...wrapped.tools()]
  found.problems.push(...(await tools.problems()))
  found.warnings.push(...wrapped.warnings().map(located), ...notSent(config, all))
  found.notes.push(...wrapped.replaced().map(({ file, by }) => `${by} takes the place of ${file}`))
  for (const { id, aliasOf, unavailable } of all)
    if (unavailable !== undefined && aliasOf === undefined)
      found.notes.push(`${id} cannot run here: ${unavailable}`)
}

/** Warns if other users can change the files in `rooms_dir`. */
async function checkRoomsDir({ dataDir, sandbox }: Config, { warnings }: Findings): Promise<void> {
  const { rooms_dir: dir } = sandbox
  if (dir === ownRoomsDir(dataDir)) return
  const { uid, gid, mode } = await stat(dir)
  const own = process.getuid?.()
  // Root checks for the owner's own user ID.
  const owner = own === 0 || uid === own ? [] : [`belongs to the user ${uid}, and this is ${own}`]
  const group = mode & 0o020 ? [`can be written by the group ${gid}`] : []
  for (const what of [...owner, ...group])
    warnings.push(`sandbox.rooms_dir: ${dir} ${what}: they can change the files of all rooms`)
}

/** Strangers who make a room own it, so `ops` does not keep them from what asks models by itself. */
function routinesOfStrangers({ server, listen, routines }: Config): readonly string[] {
  if (!routines.enabled || !isOpenToStrangers(server.access, listen)) return []
  const open = Object.entries(routines.allow).filter(
    ([, allowed]) => allowed === 'members' || allowed === 'ops',
  )
  return open.map(
    ([verb, allowed]) =>
      `[routines] allow.${verb} is "${allowed}", and anybody can register: strangers may make routines that ask models`,
  )
}

function strangerWarnings(config: Config): readonly string[] {
  const { allow } = config.tools
  const lent = (['execute', 'network'] as const).filter((access) => allow[access] === 'requester')
  if (lent.length === 0 || !isOpenToStrangers(config.server.access, config.listen)) return []
  return [
    `tools.allow: anybody can come in (access = "open") and allow themselves ${lent.join(' and ')}; ` +
      `write ${lent.map((access) => `${access} = "ops"`).join(', ')}, or access = "invite"`,
  ]
}

const webhooksForAll = ({ webhooks }: Config): readonly string[] =>
  webhooks.flatMap(({ name, rooms }) =>
    rooms
      ? []
      : [`webhooks: ${name} names no rooms, so the script of any room may send there; write rooms = ["dev"]`],
  )

/** Only warns, because a server starts without its bus and retries for ever. */
async function checkBus({ bus }: Config, { warnings }: Findings): Promise<void> {
  const problem = bus && (await busProblem(bus, createLog('silent')))
  if (problem !== undefined)
    warnings.push(
      `bus: ${problem}; a server starts without it, and lines of other servers come up to a second later`,
    )
}

async function sandboxLine({ sandbox }: Config): Promise<string> {
  if (sandbox.mode === 'none')
    return 'sandbox: none, as configured: commands run with the rights of the server'
  const state = await probeSandbox()
  return state.works
    ? `sandbox: ${state.version}; ${sandbox.memory_mb} MiB of memory; ${describeSandbox(state.strength)}`
    : `sandbox: commands are refused: ${state.reason}`
}

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
