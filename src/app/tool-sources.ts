import { probeSandbox } from '../adapters/sandbox/probe.ts'
import type { Storage } from '../adapters/storage/storage.ts'
import { createWeb } from '../adapters/web/web.ts'
import { createWrappedTools, type WrappedTools } from '../adapters/wrapped-tools/wrapped-tools.ts'
import type { Chat } from '../chat/chat.ts'
import type { Log } from '../chat/ports.ts'
import type { Config } from '../config/config.ts'
import { paths } from './paths.ts'
import { roomTools } from '../tools/rooms/index.ts'
import { BUILTIN_IDS, builtinTools } from '../tools/builtin/index.ts'
import type { Tool, ToolSource } from '../tools/tool.ts'
import type { AppContext } from './context.ts'
import type { CurrentConfig } from './current-config.ts'

/** The tools that depend on the config: the built-in ones, and those of `.tool` files. */
export interface ConfiguredTools extends AsyncDisposable {
  builtin(): readonly Tool[]
  readonly wrapped: WrappedTools
  /** Makes all of them anew from another config; until that is done the old ones stay. Never rejects. */
  follow(config: Config): Promise<void>
}

/** All tools by their source, in the order in which they are listed. */
export function toolSources(
  current: CurrentConfig,
  chat: Chat,
  { storage }: AppContext,
  { builtin, wrapped }: ConfiguredTools,
): readonly ToolSource[] {
  const names = (): readonly string[] =>
    current.now().models.flatMap((model) => (model.enabled ? model.name : []))
  const internal = roomTools({ chat, rooms: storage.rooms, models: { names }, speech: current.limits })
  return [
    { group: 'internal', name: 'internal', tools: () => internal },
    {
      group: 'builtin',
      name: 'builtin',
      tools: () => builtin().filter((tool) => !isReplaced(tool, wrapped)),
    },
    wrapped,
  ]
}

/** The stores that built-in tools use. */
type ToolStores = Pick<Storage, 'rooms' | 'results'>

/** Makes the tools, and reads the `.tool` files, which may build on the built-in ones. */
export async function openTools(first: Config, stores: ToolStores, log: Log): Promise<ConfiguredTools> {
  let builtin = await builtinFor(first, stores)
  const wrapped = await createWrappedTools({ ...wrappedOptions(first, builtin), log })
  return {
    builtin: () => builtin,
    wrapped,
    async follow(config) {
      const next = await builtinFor(config, stores)
      await wrapped.reload(wrappedOptions(config, next))
      builtin = next
    },
    [Symbol.asyncDispose]: () => wrapped[Symbol.asyncDispose](),
  }
}

const builtinFor = async (config: Config, { rooms, results }: ToolStores): Promise<readonly Tool[]> =>
  builtinTools({
    todo: rooms,
    results,
    subTurns: config.limits.turn_depth > 0,
    web: createWeb(config.tools.web, paths.pageReader),
    ...(await commandsIn(config)),
  })

async function commandsIn({ sandbox }: Config): Promise<{ readonly noCommands?: string }> {
  if (sandbox.mode === 'none') return {}
  const state = await probeSandbox()
  return state.works ? {} : { noCommands: state.reason }
}

const wrappedOptions = ({ tools: { dirs, disabled } }: Config, builtin: readonly Tool[]) => ({
  dirs: [...dirs, paths.wrappedTools],
  bases: { tools: builtin, ids: BUILTIN_IDS, disabled },
})

const isReplaced = (tool: Tool, wrapped: ToolSource): boolean =>
  tool.yields === true && wrapped.tools().some((one) => one.id === tool.id)
