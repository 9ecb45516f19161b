// Which tools there are here, by the config and by what the machine can run. This folder must not know what a
// turn is, nor how a tool is called.

import type { Storage } from '../../adapters/storage/storage.ts'
import {
  createToolModules,
  type ModuleProblem,
  type ToolModules,
  type ToolModulesOptions,
} from '../../adapters/tool-modules/tool-modules.ts'
import { createWeb } from '../../adapters/web/web.ts'
import { createWrappedTools, type WrappedTools } from '../../adapters/wrapped-tools/wrapped-tools.ts'
import type { Rooms } from '../../chat/rooms.ts'
import type { Log } from '../../chat/ports.ts'
import type { Config } from '../../config/config.ts'
import { paths } from '../paths.ts'
import { findToolsDefinition } from '../../prompt/tool-definitions.ts'
import { ROOM_TOOL_NAMES, roomTools } from '../../tools/rooms/index.ts'
import { loadToolFiles } from '../../adapters/wrapped-tools/load.ts'
import { toolWordProblems } from './tool-words.ts'
import { BUILTIN_IDS, builtinTools } from '../../tools/builtin/index.ts'
import type { Tool, ToolSource } from '../../tools/tool.ts'
import type { AppContext } from '../context.ts'
import type { CurrentConfig } from '../current-config.ts'
import { hasProcessLimit, NO_PROCESS_LIMIT, probeSandbox } from '../../adapters/sandbox/probe.ts'

/** The tools that depend on the config: the built-in ones, those of modules, and those of `.tool` files. */
export interface ConfiguredTools extends AsyncDisposable {
  builtin(): readonly Tool[]
  readonly modules: ToolModules
  readonly wrapped: WrappedTools
  /**
   * What is wrong in modules and `.tool` files, and in what the config says of tools, with file and line.
   * `connected` are the MCP servers that admins connected, where they are known.
   */
  problems(connected?: readonly string[]): Promise<readonly string[]>
  /** Makes all of them anew from another config; until that is done the old ones stay. Never rejects. */
  follow(config: Config): Promise<void>
}

/** All tools by their source, in the order in which they are listed. */
export function toolSources(
  current: CurrentConfig,
  rooms: Rooms,
  { storage }: AppContext,
  { builtin, modules, wrapped }: ConfiguredTools,
): readonly ToolSource[] {
  const names = (): readonly string[] =>
    current.now().models.flatMap((model) => (model.enabled ? model.name : []))
  const internal = roomTools({
    rooms,
    log: storage.chat.log,
    store: storage.chat.rooms,
    models: { names },
    speech: current.limits,
  })
  return [
    { group: 'internal', name: 'internal', tools: () => internal },
    {
      group: 'builtin',
      name: 'builtin',
      tools: () => builtin().filter((tool) => !isReplaced(tool, wrapped)),
    },
    modules,
    wrapped,
  ]
}

/** The stores that built-in tools use. */
type ToolStores = Pick<Storage, 'chat' | 'tools'>

/**
 * Makes the tools, and reads modules and `.tool` files. A file may build on a built-in tool or one of a
 * module. `commands` is whether commands can run with the first config, where that is being tried already.
 */
export async function openTools(
  first: Config,
  stores: ToolStores,
  log: Log,
  commands: Promise<CommandsState> = commandsIn(first, log),
): Promise<ConfiguredTools> {
  let config = first
  let builtin = builtinFor(first, stores, await commands)
  const modules = await createToolModules({ ...(await moduleOptions(first)), log })
  const wrapped = await createWrappedTools({ ...wrappedOptions(first, builtin, modules.tools()), log })
  return {
    builtin: () => builtin,
    modules,
    wrapped,
    problems: async (connected) => [
      ...(await toolWordProblems(config, { modules, connected })),
      ...[...modules.problems(), ...wrapped.problems()].map(located),
    ],
    async follow(next) {
      const made = builtinFor(next, stores, await commandsIn(next, log))
      await modules.reload(await moduleOptions(next))
      await wrapped.reload(wrappedOptions(next, made, modules.tools()))
      builtin = made
      config = next
    },
    [Symbol.asyncDispose]: () => wrapped[Symbol.asyncDispose](),
  }
}

/** A problem of a file in one line. */
export const located = ({ file, line, message }: ModuleProblem): string => `${file}:${line}: ${message}`

/** The tools that come along keep their ids; a `.tool` file of an admin gives way to a module. */
async function moduleOptions({ tools }: Config): Promise<ToolModulesOptions> {
  const { definitions } = await loadToolFiles([paths.wrappedTools])
  const bundled = definitions.map(({ name }) => name)
  return {
    files: tools.modules,
    taken: new Set([...BUILTIN_IDS, ...ROOM_TOOL_NAMES, ...bundled, findToolsDefinition.name]),
  }
}

const builtinFor = (config: Config, { chat, tools }: ToolStores, commands: CommandsState): readonly Tool[] =>
  builtinTools({
    todo: chat.rooms,
    results: tools.results,
    subTurns: config.limits.turn_depth > 0,
    web: createWeb(config.tools.web, paths.pageReader),
    ...commands,
  })

const wrappedOptions = (
  { tools: { dirs, disabled } }: Config,
  builtin: readonly Tool[],
  modules: readonly Tool[],
) => ({
  dirs: [...dirs, paths.wrappedTools],
  bases: { tools: [...builtin, ...modules], ids: BUILTIN_IDS, kept: KEPT, disabled },
})

/** `fork` is both: the built-in tool has the name, and the one of the rooms its whole id. */
const KEPT = [...ROOM_TOOL_NAMES, findToolsDefinition.name].filter((name) => !BUILTIN_IDS.includes(name))

const isReplaced = (tool: Tool, wrapped: ToolSource): boolean =>
  tool.yields === true && wrapped.tools().some((one) => one.id === tool.id)

/** Why commands cannot run, if they cannot. */
export interface CommandsState {
  readonly noCommands?: string
}

/** Tries whether commands can run with this config, and logs what a server that runs as root has. Never rejects. */
export async function commandsIn({ sandbox }: Pick<Config, 'sandbox'>, log: Log): Promise<CommandsState> {
  if (sandbox.mode === 'none') return {}
  const state = await probeSandbox()
  if (!state.works) return { noCommands: state.reason }
  if (!hasProcessLimit(state.strength)) log.warn({}, `sandbox: ${NO_PROCESS_LIMIT}`)
  else if (state.strength.cgroups) log.info({ cgroups: state.strength.cgroups }, 'commands run in cgroups')
  return {}
}
