import type { Storage } from '../adapters/storage/storage.ts'
import { createWeb } from '../adapters/web/web.ts'
import { createWrappedTools } from '../adapters/wrapped-tools/wrapped-tools.ts'
import type { Chat } from '../chat/chat.ts'
import type { Log } from '../chat/ports.ts'
import type { Config } from '../config/config.ts'
import { paths } from './paths.ts'
import { roomTools } from '../tools/rooms/index.ts'
import { BUILTIN_IDS, builtinTools } from '../tools/builtin/index.ts'
import type { Tool, ToolSource } from '../tools/tool.ts'
import type { AppContext, Owned } from './context.ts'

/** All tools by their source, in the order in which they are listed. */
export async function createToolSources(
  config: Config,
  chat: Chat,
  { storage, log }: AppContext,
  owned: Owned,
): Promise<readonly ToolSource[]> {
  const names = config.models.filter((model) => model.enabled).map((model) => model.name)
  const { builtin, wrapped } = await openTools(config, storage, log)
  owned(wrapped)
  const internal = roomTools({
    chat,
    rooms: storage.rooms,
    models: { names: () => names },
    speech: config.limits,
  })
  return [
    { group: 'internal', name: 'internal', tools: () => internal },
    { group: 'builtin', name: 'builtin', tools: () => builtin.filter((tool) => !isReplaced(tool, wrapped)) },
    wrapped,
  ]
}

/** The built-in tools, and the tools of `.tool` files, which may build on them. The caller disposes of `wrapped`. */
export async function openTools(config: Config, { rooms, results }: ToolStores, log: Log) {
  const builtin = builtinTools({
    todo: rooms,
    subTurns: config.limits.turn_depth > 0,
    web: createWeb(config.tools.web, paths.pageReader),
    results,
  })
  const wrapped = await createWrappedTools({
    dirs: [paths.wrappedTools, ...config.tools.dirs],
    bases: { tools: builtin, ids: BUILTIN_IDS, disabled: config.tools.disabled },
    log,
  })
  return { builtin, wrapped }
}

/** The stores that built-in tools use. */
type ToolStores = Pick<Storage, 'rooms' | 'results'>

const isReplaced = (tool: Tool, wrapped: ToolSource): boolean =>
  tool.yields === true && wrapped.tools().some((one) => one.id === tool.id)
