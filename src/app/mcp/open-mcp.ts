// The servers of tools, joined with the rooms, the config and what admins connected. These must not know what a session is.
import { join } from 'node:path'
import { LOGIN_PATH } from '../../adapters/http/handler.ts'
import { createMcpServers } from '../../adapters/mcp/client/servers.ts'
import { createMcpLogins } from '../../adapters/mcp/login/logins.ts'
import { StorageError } from '../../chat/errors.ts'
import type { Storage } from '../../adapters/storage/storage.ts'
import type { Clock, Log } from '../../chat/ports.ts'
import type { Everywhere } from '../../chat/rooms.ts'
import type { Config } from '../../config/config.ts'
import { findToolsDefinition } from '../../prompt/find-tools.ts'
import { ROOM_TOOL_NAMES } from '../../tools/rooms/index.ts'
import type { ConnectedMcp, ConnectedMcpStore } from '../../tools/ports/mcp.ts'
import type { ToolSource } from '../../tools/tool.ts'
import { isToolWord } from '../tools/tool-words.ts'
import { version } from '../version.ts'
import { createMcpAdmin, type ManagedMcp } from './admin.ts'
import { createLaunch } from './launch.ts'
import { createTellRooms } from './tell-rooms.ts'

/** The servers, and those who manage them. */
export interface Mcp extends ManagedMcp, AsyncDisposable {
  /** HTTP is served at this port, so a browser can come back from a login. */
  servedAt(port: number): void
  /** Those of the config, then those that admins connected. */
  sources(): readonly ToolSource[]
}

/** What it uses of the config. */
export type McpConfig = Pick<Config, 'mcp' | 'tools' | 'sandbox' | 'dataDir'>

/** Where a browser looks for us after a login, if nothing is served over HTTP: then the address is to be copied. */
const USUAL_PORT = 2223

/** What it uses of every part's context. */
interface McpContext {
  readonly storage: Pick<Storage, 'chat' | 'tools'>
  readonly clock: Clock
  readonly log: Log
}

/** Begins to connect to all servers. `others` are all other sources, whose ids no server can take. */
export async function openMcp(
  now: () => McpConfig,
  rooms: Everywhere,
  { storage, clock, log }: McpContext,
  others: readonly ToolSource[],
): Promise<Mcp> {
  const { pins, connected } = storage.tools.mcp
  const kept = [...ROOM_TOOL_NAMES, findToolsDefinition.name]
  const ids = (): readonly string[] => [
    ...kept,
    ...others.flatMap((one) => one.tools().map((tool) => tool.id)),
  ]
  const isTaken = (id: string): boolean => isToolWord(id, ids())
  let port = USUAL_PORT
  const logins = createMcpLogins({
    dir: join(now().dataDir, 'mcp-logins'),
    back: () => `http://127.0.0.1:${port}${LOGIN_PATH}`,
    log,
  })
  const servers = createMcpServers({
    servers: now().mcp,
    connecting: { version: version(), launch: createLaunch(now), logins },
    isTaken,
    pins,
    events: createTellRooms({
      rooms,
      store: storage.chat.rooms,
      disabled: () => now().tools.disabled,
      log,
    }),
    log,
  })
  const configured = () => now().mcp
  const admin = createMcpAdmin(
    { servers, store: connected, configured, logins, isTaken, tellAdmins: rooms.tellAdmins, clock, log },
    await storedIn(connected, log),
  )
  void admin.follow()
  return {
    ...admin,
    sources: () => servers.all(),
    servedAt: (taken) => void (port = taken),
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  }
}

/** A server starts also where nothing can be read just now: then without those that admins connected. */
async function storedIn(store: ConnectedMcpStore, log: Log): Promise<readonly ConnectedMcp[]> {
  try {
    return await store.all()
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    log.error({ error, reason: error.reason }, 'the MCP servers that admins connected are not known')
    return []
  }
}
