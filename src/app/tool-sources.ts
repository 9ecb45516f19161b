import { createWeb } from '../adapters/web/web.ts'
import { createWrappedTools } from '../adapters/wrapped-tools/wrapped-tools.ts'
import type { Chat } from '../chat/chat.ts'
import type { Config } from '../config/config.ts'
import { paths } from './paths.ts'
import { roomTools } from '../tools/rooms/index.ts'
import { BUILTIN_IDS, builtinTools } from '../tools/builtin/index.ts'
import type { Tool, ToolSource } from '../tools/tool.ts'
import type { AppContext, Owned } from './context.ts'
import { speechLimits } from './speech-limits.ts'

/** Every tool there is, by where it comes from, in the order in which they are listed. */
export async function createToolSources(
  config: Config,
  chat: Chat,
  { storage: { rooms, results }, log }: AppContext,
  owned: Owned,
): Promise<readonly ToolSource[]> {
  const names = config.models.filter((model) => model.enabled).map((model) => model.name)
  const builtin = builtinTools({
    todo: rooms,
    subTurns: config.limits.turn_depth > 0,
    web: createWeb(config.web, paths.pageReader),
    results,
  })
  const internal = roomTools({ chat, rooms, models: { names: () => names }, speech: speechLimits(config) })
  const wrapped = owned(
    await createWrappedTools({
      dirs: [paths.wrappedTools, ...config.tools.dirs],
      bases: { tools: builtin, ids: BUILTIN_IDS, disabled: config.tools.disabled },
      log,
    }),
  )
  return [
    { group: 'internal', name: 'internal', tools: () => internal },
    { group: 'builtin', name: 'builtin', tools: () => builtin.filter((tool) => !isReplaced(tool, wrapped)) },
    wrapped,
  ]
}

const isReplaced = (tool: Tool, wrapped: ToolSource): boolean =>
  tool.yields === true && wrapped.tools().some((one) => one.id === tool.id)
