// The servers of tools, joined with the rooms and the config. These must not know what a session is.
import { createMcpServers, type McpServers } from '../../adapters/mcp/client/servers.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { findToolsDefinition } from '../../prompt/find-tools.ts'
import { ROOM_TOOL_NAMES } from '../../tools/rooms/index.ts'
import type { ToolSource } from '../../tools/tool.ts'
import type { AppContext } from '../context.ts'
import type { CurrentConfig } from '../current-config.ts'
import { version } from '../version.ts'
import { createTellRooms } from './tell-rooms.ts'

/** Begins to connect to the servers of the config. `others` are all other sources, whose ids no server can take. */
export function openMcp(
  current: CurrentConfig,
  rooms: Rooms,
  { storage, log }: AppContext,
  others: readonly ToolSource[],
): McpServers {
  const { now } = current
  const kept = [...ROOM_TOOL_NAMES, findToolsDefinition.name]
  const ids = (): readonly string[] => [
    ...kept,
    ...others.flatMap((one) => one.tools().map((tool) => tool.id)),
  ]
  return createMcpServers({
    servers: now().mcp,
    version: version(),
    isTaken: (id) => ids().some((other) => other.toLowerCase() === id.toLowerCase()),
    events: createTellRooms({
      rooms: rooms.everywhere,
      store: storage.chat.rooms,
      disabled: () => now().tools.disabled,
      log,
    }),
    log,
  })
}
