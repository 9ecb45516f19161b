import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../../../chat/ports.ts'
import { createSerial } from '../../../lib/jobs/serial.ts'
import type { McpPinStore } from '../../../tools/ports/mcp.ts'
import type { Tool } from '../../../tools/tool.ts'
import type { McpServerConfig } from '../config.ts'
import type { McpConnection } from './connection.ts'
import type { LeftOut, McpDefinition } from './definition.ts'
import { differenceOf, type ToolDifference } from './difference.ts'
import { createOfferedTools, type ServerTool } from './offered-tools.ts'
import { createPins, type Pins } from './pins.ts'
import type { McpCalls } from './tool.ts'
import type { OtherNames } from './tool-ids.ts'

/** The tools of one server: read from its list, held against what holds, offered or withheld. One thing at a time. */
export interface ServerTools {
  /** Reads the list, and offers it if the connection is still that of now. Rejects as `McpConnection.list` does. */
  read(from: McpConnection): Promise<void>
  /** See `McpServer`. */
  review(approve: boolean): Promise<readonly ToolDifference[]>
  offered(): readonly Tool[]
  withheld(): readonly Tool[]
  /** What was listed last and can be no tool. */
  leftOut(): readonly LeftOut[]
  /** The server is gone. */
  clear(): void
}

/** What they are made with; `McpServerParts` says more. */
interface ServerToolsParts {
  readonly names: OtherNames
  readonly pins: McpPinStore
  readonly events: { changed(server: string, tools: readonly Tool[]): void }
  readonly log: Log
}

/** `current` is the connection of now. */
export function createServerTools(
  config: McpServerConfig,
  { names, pins: store, events, log }: ServerToolsParts,
  calls: McpCalls,
  current: () => McpConnection | undefined,
): ServerTools {
  const { name } = config
  const oneByOne = createSerial()
  const offered = createOfferedTools(config, { names }, calls)
  const pins = createPins(name, store)
  /** Ids of what was told to be withheld. */
  const told = new Set<string>()
  let leftOut: readonly LeftOut[] = []

  async function offer(listed: readonly McpDefinition[], from: McpConnection): Promise<void> {
    const sifted = await pins.sift(listed)
    if (from !== current()) return
    offered.take(sifted)
    const changed = offered.withheld().flatMap(({ tool }) => (told.has(tool.id) ? [] : [tool]))
    if (changed.length === 0) return
    for (const { id } of changed) told.add(id)
    log.warn({ server: name, tools: changed.map(({ id }) => id) }, 'an MCP server changed its tools')
    events.changed(name, changed)
  }

  return {
    read: (from) =>
      oneByOne(async () => {
        const listed = await from.list()
        await offer(listed.definitions, from)
        if (listed.leftOut.length > 0 && !isDeepStrictEqual(listed.leftOut, leftOut))
          log.warn({ server: name, leftOut: listed.leftOut }, 'tools of an MCP server are left out')
        leftOut = listed.leftOut
        log.debug({ server: name, tools: listed.definitions.length }, 'the tools of an MCP server were read')
      }),
    review: (approve) =>
      oneByOne(async () => {
        const [withheld, now] = [offered.withheld(), current()]
        const differences = await differencesOf(withheld, pins)
        if (!approve || !now) return differences
        await pins.approve(withheld.map(({ definition }) => definition))
        told.clear()
        await offer(offered.listed(), now)
        return differences
      }),
    offered: () => offered.tools(),
    withheld: () => offered.withheld().map(({ tool }) => tool),
    leftOut: () => leftOut,
    clear: () => offered.clear(),
  }
}

async function differencesOf(listed: readonly ServerTool[], pins: Pins): Promise<readonly ToolDifference[]> {
  const holding = await pins.holding(listed.map(({ definition }) => definition))
  return listed.map(({ tool, definition }) => differenceOf(tool.id, definition, holding.get(definition.name)))
}
