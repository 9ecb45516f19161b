// The tools that the config and the machine allow. This folder must not know turns, nor how a tool is called.

import type { Storage } from '../../storage/index.ts'
import {
  createToolModules,
  type ModuleProblem,
  type ToolModules,
  type ToolModulesOptions,
} from '../../tools/modules/index.ts'
import { createWeb } from '../../web/index.ts'
import { createWrappedTools, type WrappedTools, loadToolFiles } from '../../tools/wrapped/index.ts'
import type { Rooms } from '../../chat/index.ts'
import type { Config } from '../config/config.ts'
import type { Log } from '../../base/environment.ts'
import { paths } from '../../base/paths.ts'
import { findToolsDefinition } from '../../wrap/scope/index.ts'
import { ROOM_TOOL_NAMES, type RoomToolParts, roomTools } from '../../turns/room-tools/index.ts'
import { commandsIn, type CommandsState } from './commands-state.ts'
import { toolNameProblems } from './tool-words.ts'
import { BUILTIN_IDS, builtinTools } from '../../tools/builtin/index.ts'
import { todoTools } from '../../turns/index.ts'
import type { Tool, ToolSource } from '../../tools/index.ts'
import type { AppContext } from '../context.ts'
import type { CurrentConfig } from '../current-config.ts'

/** The tools that depend on the config. */
export interface ConfiguredTools extends AsyncDisposable {
  builtin(): readonly Tool[]
  readonly modules: ToolModules
  readonly wrapped: WrappedTools
  /**
   * Resolves to problems of modules, `.tool` files and the config, with file and line. `connected`: see
   * `LoadedToolSources`.
   */
  problems(connected?: readonly string[]): Promise<readonly string[]>
  /** Applies another config; the old tools stay until it is done. Never rejects. */
  follow(config: Config): Promise<void>
}

/** Returns the sources in the order in which their tools are listed. */
export function toolSources(
  current: CurrentConfig,
  rooms: Rooms,
  { storage }: AppContext,
  { builtin, modules, wrapped }: ConfiguredTools,
  given: Pick<RoomToolParts, 'reminders' | 'memories'>,
): readonly ToolSource[] {
  const internal = roomTools({
    rooms,
    log: storage.chat.entries,
    store: storage.chat.rooms,
    models: { names: () => current.now().models.flatMap(({ enabled, name }) => (enabled ? name : [])) },
    speech: current.limits,
    ...given,
  })
  return [
    { group: 'internal', name: 'internal', tools: () => internal },
    {
      group: 'builtin',
      name: 'builtin',
      // Omits a built-in tool with `yields` if a `.tool` file defines the same ID.
      tools: () =>
        builtin().filter(({ id, yields }) => !yields || wrapped.tools().every((one) => one.id !== id)),
    },
    modules,
    wrapped,
  ]
}

type ToolStores = Pick<Storage, 'chat' | 'tools'>

/** A `.tool` file may build on a built-in tool or one of a module. */
export async function openTools(
  first: Config,
  stores: ToolStores,
  log: Log,
  commands: Promise<CommandsState> = commandsIn(first),
): Promise<ConfiguredTools> {
  let config = first
  let builtin = builtinFor(first, stores, await commands)
  logRoot(await commands, log)
  const modules = await createToolModules({ ...(await moduleOptions(first)), log })
  const wrapped = await createWrappedTools({ ...wrappedOptions(first, builtin, modules.tools()), log })
  return {
    builtin: () => builtin,
    modules,
    wrapped,
    problems: async (connected) => [
      ...(await toolNameProblems(config, { modules, connected })),
      ...[...modules.problems(), ...wrapped.problems()].map(located),
    ],
    async follow(next) {
      const made = builtinFor(next, stores, await commandsIn(next))
      await modules.reload(await moduleOptions(next))
      await wrapped.reload(wrappedOptions(next, made, modules.tools()))
      builtin = made
      config = next
    },
    [Symbol.asyncDispose]: () => wrapped[Symbol.asyncDispose](),
  }
}

export const located = ({ file, line, message }: ModuleProblem): string => `${file}:${line}: ${message}`

/** Reserves the IDs of bundled tools. A module replaces an admin's `.tool` file with the same ID. */
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
    todo: todoTools(chat.rooms),
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

/**
 * `fork` names two tools: the name belongs to the built-in one, and the room tool is known only by its full
 * ID.
 */
const KEPT = [...ROOM_TOOL_NAMES, findToolsDefinition.name].filter((name) => !BUILTIN_IDS.includes(name))

function logRoot({ asRoot }: CommandsState, log: Log): void {
  if (asRoot && 'warning' in asRoot) log.warn({}, asRoot.warning)
  else if (asRoot) log.info(asRoot, 'commands run in cgroups')
}
