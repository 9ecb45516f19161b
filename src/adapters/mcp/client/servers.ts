/**
 * The servers whose tools the rooms have (MCP, modelcontextprotocol.io): this folder connects to them, and makes their
 * tools a source like any other. It knows no room and asks nobody: scope and permissions are the toolbox's.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../../../chat/ports.ts'
import type { McpPinStore } from '../../../tools/ports/mcp.ts'
import type { McpServerConfig } from '../config.ts'
import { launchUnconfined } from './launch.ts'
import { USUAL_TIMES } from './limits.ts'
import { createMcpServer, type Connecting, type McpEvents, type McpServer } from './server.ts'

/** What the servers are made with. */
export interface McpServersOptions {
  readonly servers: readonly McpServerConfig[]
  readonly connecting: Pick<Connecting, 'version' | 'logins'> & Partial<Connecting>
  /** Whether a tool that comes from elsewhere has an id. */
  isTaken(id: string): boolean
  readonly pins: McpPinStore
  readonly events: McpEvents
  readonly log: Log
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
  const { pins, events, log } = options
  // Without a `launch`, commands have all our rights.
  const connecting: Connecting = { times: USUAL_TIMES, launch: launchUnconfined, ...options.connecting }
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
      (config) => same(config) ?? createMcpServer(config, { connecting, names, pins, events, log }),
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
