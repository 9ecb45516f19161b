/**
 * The servers whose tools the rooms have (MCP, modelcontextprotocol.io): this folder connects to them, and makes their
 * tools a source like any other. It knows no room and asks nobody: scope and permissions are the toolbox's.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../../../chat/ports.ts'
import type { McpPinStore } from '../../../tools/ports/mcp.ts'
import type { McpServerConfig } from '../config.ts'
import type { McpLogins } from '../login/logins.ts'
import { launchUnconfined, type LaunchMcp } from './launch.ts'
import { USUAL_TIMES, type McpTimes } from './limits.ts'
import { createMcpServer, type McpEvents, type McpServer } from './server.ts'

/** What the servers are made with. */
export interface McpServersOptions {
  readonly servers: readonly McpServerConfig[]
  /** Of sshawl. */
  readonly version: string
  /** Whether a tool that comes from elsewhere has an id. */
  isTaken(id: string): boolean
  readonly pins: McpPinStore
  /** Makes commands ready; without it, they have all our rights. */
  readonly launch?: LaunchMcp
  /** Without them, no server can be logged in to. */
  readonly logins?: Pick<McpLogins, 'of'>
  readonly events: McpEvents
  readonly log: Log
  readonly times?: McpTimes
}

/** All servers. */
export interface McpServers extends AsyncDisposable {
  /** In the order in which they are given. Each is a source of tools. */
  all(): readonly McpServer[]
  /** Connects to servers that are new or others than before, and leaves those that are gone. Never rejects. */
  follow(servers: readonly McpServerConfig[]): Promise<void>
  /** Undefined where there is none. */
  find(name: string): McpServer | undefined
}

/** Begins to connect to all servers, and waits for none. */
export function createMcpServers(options: McpServersOptions): McpServers {
  const { version, pins, logins, events, log, times = USUAL_TIMES, launch = launchUnconfined } = options
  let open: readonly McpServer[] = []
  let isOver = false
  const names = {
    get servers() {
      return open.map(({ name }) => name)
    },
    isTaken: options.isTaken,
  }

  async function follow(servers: readonly McpServerConfig[]): Promise<void> {
    const before = open
    const same = (config: McpServerConfig): McpServer | undefined =>
      before.find((one) => isDeepStrictEqual(one.config, config))
    const wanted = isOver ? [] : servers
    open = wanted.map(
      (config) =>
        same(config) ?? createMcpServer(config, { times, version, launch, logins, names, pins, events, log }),
    )
    const gone = before.filter((one) => !open.includes(one))
    await Promise.all(gone.map((one) => one[Symbol.asyncDispose]()))
  }

  void follow(options.servers)
  return {
    all: () => open,
    follow,
    find: (name) => open.find((one) => one.name === name),
    [Symbol.asyncDispose]() {
      isOver = true
      return follow([])
    },
  }
}
