import type { Rooms } from '../../chat/index.ts'
import type { Json } from '../../base/json.ts'
import type { ModelSettings } from '../../wrap/index.ts'
import { createCatalogue } from '../../wrap/toolbox/index.ts'
import { createScopedTools, type FindScopedTools } from '../../turns/index.ts'
import type { RoomToolParts } from '../../turns/room-tools/index.ts'
import type { AppContext, TakeOwnership } from '../context.ts'
import type { CurrentConfig } from '../current-config.ts'
import type { Mcp } from '../mcp/admin.ts'
import { openMcp } from '../mcp/open.ts'
import { openTools, toolSources, type ConfiguredTools } from './tool-sources.ts'
import { connectedNames, toolNameProblems } from './tool-words.ts'

export interface Toolkit {
  readonly tools: ConfiguredTools
  readonly mcp: Mcp
  readonly scopedTools: FindScopedTools
}

/** Opens all sources of tools, and logs unknown tool names in the config. */
export async function openToolkit(
  current: CurrentConfig,
  rooms: Rooms,
  context: AppContext,
  owned: TakeOwnership,
  given: Pick<RoomToolParts, 'reminders' | 'memories'>,
): Promise<Toolkit> {
  const config = current.now()
  const { storage, log, commands } = context
  const tools = owned(await openTools(config, storage, log, commands))
  const connected = await connectedNames(storage.tools.mcp.connected)
  for (const problem of await toolNameProblems(config, { modules: tools.modules, connected }))
    log.warn({ problem }, 'the config names a tool wrongly')
  const sources = toolSources(current, rooms, context, tools, given)
  const mcp = owned(await openMcp(current.now, rooms, context, sources))
  const catalogue = createCatalogue({
    get sources() {
      return [...sources, ...mcp.sources()]
    },
    get disabled() {
      return current.now().tools.disabled
    },
    log,
  })
  // A turn keeps its model's settings, but the current config decides which tools the model may call.
  const scopeNow = ({ name, tools: first }: ModelSettings): Json =>
    current.now().models.find((model) => model.name === name)?.tools ?? first
  const scopedTools = createScopedTools(catalogue, storage.chat.rooms, scopeNow, mcp.list)
  return { tools, mcp, scopedTools }
}
