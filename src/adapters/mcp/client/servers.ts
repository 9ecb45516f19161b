/**
 * The servers whose tools the rooms have (MCP, modelcontextprotocol.io): this folder connects to them, and makes their
 * tools a source like any other. It knows no room and asks nobody: scope and permissions are the toolbox's.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../../../chat/ports.ts'
import type { ToolSource } from '../../../tools/tool.ts'
import type { McpServerConfig } from '../config.ts'
import { USUAL_TIMES, type McpTimes } from './limits.ts'
import { createMcpServer, type McpEvents, type McpServer, type McpState } from './server.ts'

/** What the servers are made with. */
export interface McpServersOptions {
  readonly servers: readonly McpServerConfig[]
  /** Of sshawl. */
  readonly version: string
  /** Whether a tool that comes from elsewhere has an id. */
  isTaken(id: string): boolean
  readonly events: McpEvents
  readonly log: Log
  readonly times?: McpTimes
}

/** All servers. */
export interface McpServers extends AsyncDisposable {
  /** In the order of the config. */
  sources(): readonly ToolSource[]
  /** Connects to servers that are new or others than before, and leaves those that are gone. Never rejects. */
  follow(servers: readonly McpServerConfig[]): Promise<void>
  /** Undefined for a server that there is not. */
  state(name: string): McpState | undefined
}

/** Begins to connect to all servers, and waits for none. */
export function createMcpServers(options: McpServersOptions): McpServers {
  const { version, events, log, times = USUAL_TIMES } = options
  let open: readonly McpServer[] = []
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
    open = servers.map(
      (config) => same(config) ?? createMcpServer(config, { times, version, names, events, log }),
    )
    const gone = before.filter((one) => !open.includes(one))
    await Promise.all(gone.map((one) => one[Symbol.asyncDispose]()))
  }

  void follow(options.servers)
  return {
    sources: () => open,
    follow,
    state: (name) => open.find((one) => one.name === name)?.state(),
    [Symbol.asyncDispose]: () => follow([]),
  }
}
