// Gives the MCP client its servers, from the config and from admins, and tells rooms what changes. This
// folder must not know what a session is.
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { LOGIN_PATH } from '../http/routes.ts'
import { launchUnconfined, type LaunchMcp, createMcpServers, type McpEvents } from '../../mcp/client/index.ts'
import { createMcpLogins } from '../../mcp/index.ts'
import { coverInherited, inheritedDescriptors, launchSpeaking, probeSandbox } from '../../sandbox/index.ts'
import type { Storage } from '../../storage/index.ts'
import { SYSTEM } from '../../words/names.ts'
import type { RoomStore, Room, Rooms } from '../../chat/index.ts'
import type { Config } from '../config/config.ts'
import { counted } from '../../base/amounts.ts'
import type { Clock, Log } from '../../base/environment.ts'
import { resolveScope, SCOPE_KEY, findToolsDefinition } from '../../wrap/scope/index.ts'
import { ROOM_TOOL_NAMES } from '../../turns/room-tools/index.ts'
import { createCatalogue } from '../../wrap/toolbox/index.ts'
import type { Tool, ToolSource } from '../../tools/index.ts'
import { isToolWord } from '../tools/tool-words.ts'
import { version } from '../../base/paths.ts'
import { Mcp } from './admin.ts'

export type McpConfig = Pick<Config, 'mcp' | 'tools' | 'sandbox' | 'dataDir'>

interface McpContext {
  readonly storage: Pick<Storage, 'chat' | 'tools'>
  readonly clock: Clock
  readonly log: Log
}

/** Starts to connect. No server may use an ID of `others`. Rejects with `StorageError`. */
export async function openMcp(
  now: () => McpConfig,
  rooms: Pick<Rooms, 'inUse' | 'tellAdmins'>,
  { storage, clock, log }: McpContext,
  others: readonly ToolSource[],
): Promise<Mcp> {
  const { pins, connected } = storage.tools.mcp
  const isTaken = (id: string): boolean => {
    const ids = others.flatMap((one) => one.tools().map((tool) => tool.id))
    return isToolWord(id, [...ROOM_TOOL_NAMES, findToolsDefinition.name, ...ids])
  }
  const logins = createMcpLogins({
    dir: join(now().dataDir, 'mcp-logins'),
    back: () => `http://127.0.0.1:${mcp.port}${LOGIN_PATH}`,
    log,
  })
  const servers = createMcpServers({
    version: version(),
    launch: createLaunch(now),
    logins,
    isTaken,
    pins,
    events: createNotices(rooms, storage.chat.rooms, () => now().tools.disabled, log),
    log,
  })
  const tellAdmins = (text: string): void => void rooms.tellAdmins(text)
  const configured = () => now().mcp
  const mcp: Mcp = new Mcp(
    { servers, store: connected, configured, logins, isTaken, tellAdmins, clock, log },
    await connected.all(),
  )
  void mcp.follow()
  return mcp
}

/**
 * Starts a server in the sandbox if its config says so, in its configured directory or in its own one below
 * the data directory. Throws without a working sandbox.
 */
export const createLaunch =
  (now: () => Pick<Config, 'sandbox' | 'dataDir'>): LaunchMcp =>
  async (reach, name) => {
    if (reach.sandbox === undefined) return await launchUnconfined(reach, name)
    const { sandbox, dataDir } = now()
    if (sandbox.mode === 'none') throw new Error('it is to run in the sandbox, and [sandbox] mode is "none"')
    const state = await probeSandbox()
    if (!state.works) throw new Error(`it is to run in the sandbox: ${state.reason}`)
    const workspace = await directoryFor(reach.cwd ?? join(dataDir, 'mcp', name))
    const limits = { memoryBytes: sandbox.memory_mb * 1024 * 1024, processes: 0, fileBytes: Infinity }
    const network = reach.sandbox === 'network'
    const box = { workspace, cwd: workspace, readOnly: false, network, limits }
    const launch = await launchSpeaking(reach.command, box, state.strength, reach.env)
    const places = coverInherited(['pipe', launch.filter ?? 'ignore'], inheritedDescriptors())
    return { ...launch, descriptors: places.map((place) => (place === 'pipe' ? 'our life' : place)) }
  }

async function directoryFor(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  return await realpath(path)
}

/** Tells rooms whose scope has tools of a server that these are gone, back or changed. */
function createNotices(
  rooms: Pick<Rooms, 'inUse' | 'tellAdmins'>,
  store: Pick<RoomStore, 'getValue'>,
  disabled: () => readonly string[],
  log: Log,
): McpEvents {
  async function tell(
    server: string,
    tools: readonly Tool[],
    level: 'info' | 'error',
    text: string,
  ): Promise<Room[]> {
    const source = { group: 'mcp', name: server, tools: () => tools } as const
    const shown = createCatalogue({ sources: [source], disabled: disabled(), log })().tools
    const told = rooms.inUse().map(async (room) => {
      const scope = resolveScope(await store.getValue(room.name, SCOPE_KEY), shown)
      if (scope.visible.length === 0) return []
      await room.record({ kind: 'notice', level, author: SYSTEM, text })
      return [room]
    })
    return (await Promise.all(told)).flat()
  }

  /** Also tells all admins if none is in those rooms, because only an admin can approve the change. */
  async function tellOfChange(server: string, tools: readonly Tool[]): Promise<void> {
    const text = `the MCP server ${server} changed ${namesOf(tools)}: withheld until an admin approves that (/mcp approve --show ${server} shows it)`
    const told = await tell(server, tools, 'error', text)
    if (!told.some((room) => room.present().some(({ admin }) => admin))) rooms.tellAdmins(text)
  }

  const inBackground = (work: Promise<unknown>): void =>
    void work.catch((error: unknown) => log.error({ error }, 'could not notify a room about an MCP server'))

  return {
    left(server, tools, why) {
      const text = `the MCP server ${server} is gone (${why}), and ${counted(tools.length, 'tool')} with it; it is tried again`
      inBackground(tell(server, tools, 'error', text))
    },
    back(server, tools) {
      const text = `the MCP server ${server} is there again, with ${counted(tools.length, 'tool')}`
      inBackground(tell(server, tools, 'info', text))
    },
    changed: (server, tools) => inBackground(tellOfChange(server, tools)),
  }
}

const MAX_NAMED = 5

const namesOf = (tools: readonly Tool[]): string =>
  tools.length > MAX_NAMED ? counted(tools.length, 'tool') : tools.map(({ id }) => id).join(', ')
