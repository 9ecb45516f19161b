import { createMcpServers, type McpState } from '../../../src/mcp/client/servers.ts'
import type { McpTimes } from '../../../src/mcp/client/connection.ts'
import type { McpServerConfig } from '../../../src/mcp/config.ts'
import { launchUnconfined, type LaunchMcp } from '../../../src/mcp/client/stdio.ts'
import type { McpLogins } from '../../../src/mcp/logins.ts'
import type { ToolSource, Tool } from '../../../src/tools/tool.ts'
import type { McpPinStore } from '../../../src/tools/mcp-pins.ts'
import { openInMemory } from '../storage.ts'
import { createWaiting } from '../waiting.ts'
import { memoryLog } from '../chat-parts.ts'

/** The command of a test server that behaves in some way. */
export const rawServer = (behaviour: string, file?: string): readonly string[] => [
  process.execPath,
  new URL('raw-server.mjs', import.meta.url).pathname,
  behaviour,
  ...(file === undefined ? [] : [file]),
]

/** The command of one that speaks the revision of 2026-07-28 alone, or hates it. */
export const newestServer = (behaviour: string, file?: string): readonly string[] => [
  process.execPath,
  new URL('newest-server.mjs', import.meta.url).pathname,
  behaviour,
  ...(file === undefined ? [] : [file]),
]

/** A server of `[[mcp]]` with this command. */
export const byCommand = (
  name: string,
  command: readonly string[],
  more: Partial<McpServerConfig> = {},
): McpServerConfig => ({
  name,
  trust: 'ask',
  reach: { command, env: { PATH: process.env['PATH'] ?? '' } },
  ...more,
})

/** Servers over real processes, and what is told of them. */
export type RawServers = ReturnType<typeof createRawServers>

/** Fast, so that what is to be seen after a failure is seen at once. */
const TIMES: McpTimes = {
  connectMs: 10_000,
  discoverMs: 10_000,
  retryMs: 10,
  maxRetryMs: 100,
  pingMs: 60_000,
  relistMs: 1,
}

export function createRawServers(
  servers: readonly McpServerConfig[],
  times: Partial<McpTimes> = {},
  {
    taken = [],
    pins = pinsInMemory(),
    launch = launchUnconfined,
    logins,
  }: { taken?: readonly string[]; pins?: McpPinStore; launch?: LaunchMcp; logins?: McpLogins } = {},
) {
  const told: string[] = []
  const { changed: look, until } = createWaiting()
  const tell = (line: string): void => {
    told.push(line)
    look()
  }
  const quiet = memoryLog()
  const warned: string[] = []
  const warn = (_facts: object, text: string): void => {
    warned.push(text)
    look()
  }
  const open = createMcpServers({
    ...{ version: '0', launch, times: { ...TIMES, ...times }, ...(logins ? { logins } : {}) },
    isTaken: (id) => taken.includes(id),
    pins,
    events: {
      left: (server, _tools, why) => tell(`left ${server}: ${why}`),
      back: (server, tools) => tell(`back ${server}: ${tools.map(({ id }) => id).join(' ')}`),
      changed: (server, tools) => tell(`changed ${server}: ${tools.map(({ id }) => id).join(' ')}`),
    },
    log: { ...quiet, info: look, warn, debug: look },
  })
  void open.follow(servers)
  const all = (): readonly Tool[] => open.all().flatMap((one) => one.tools())
  return {
    ...open,
    /** `left NAME: WHY`, `back NAME: IDS`, `changed NAME: IDS`. */
    told,
    /** What was logged as a warning, without its facts. */
    warned,
    sources: (): readonly ToolSource[] => open.all(),
    state: (name: string): McpState | undefined => open.find(name)?.state(),
    tool: (id: string): Tool | undefined => all().find((one) => one.id === id),
    ids: (): readonly string[] => all().map(({ id }) => id),
    /** Resolves when this holds; it is looked at after each thing that is told or logged. */
    until: async (isSo: () => boolean): Promise<void> => void (await until(isSo)),
  }
}

/** Connects to these servers, and waits until each is up. */
export async function connectRawServers(...given: Parameters<typeof createRawServers>): Promise<RawServers> {
  const servers = createRawServers(...given)
  await servers.until(() => given[0].every(({ name }) => servers.state(name)?.kind === 'up'))
  return servers
}

/** A database of its own, which is opened meanwhile. */
function pinsInMemory(): McpPinStore {
  const storage = openInMemory()
  const pins = storage.then(({ tools }) => tools.mcp.pins)
  return {
    hashes: async (...asked) => await (await pins).hashes(...asked),
    find: async (...asked) => await (await pins).find(...asked),
    put: async (...asked) => await (await pins).put(...asked),
    forget: async (...asked) => await (await pins).forget(...asked),
  }
}
