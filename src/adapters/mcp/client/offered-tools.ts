import type { Tool } from '../../../tools/tool.ts'
import type { McpServerConfig } from '../config.ts'
import type { McpDefinition } from './definition.ts'
import type { Sifted } from './pins.ts'
import { makeTool, type McpCalls } from './tool.ts'
import { toolIds, type OtherNames } from './tool-ids.ts'

/** A tool that a server lists, with what it says of it. */
export interface ServerTool {
  readonly tool: Tool
  readonly definition: McpDefinition
}

/** The tools that a server offers now. */
export interface OfferedTools {
  /** The same list for as long as nothing changes, with the same objects for what did not. */
  tools(): readonly Tool[]
  withheld(): readonly ServerTool[]
  /** All that it lists. */
  listed(): readonly McpDefinition[]
  /** The server lists these now. */
  take(sifted: Sifted): void
  clear(): void
}

/** `calls` runs a tool by the name that the server knows. */
export function createOfferedTools(
  config: McpServerConfig,
  { names }: { readonly names: OtherNames },
  calls: McpCalls,
): OfferedTools {
  let made: ReadonlyMap<string, Tool> = new Map()
  let tools: readonly Tool[] = []
  let withheld: readonly ServerTool[] = []
  let all: readonly ServerTool[] = []

  function clear(): void {
    all = []
    tools = []
    withheld = []
  }

  return {
    tools: () => tools,
    withheld: () => withheld,
    listed: () => all.map(({ definition }) => definition),
    take(sifted) {
      const { listed } = sifted
      const ids = toolIds(
        config.name,
        listed.map(({ name }) => name),
        names,
      )
      const next = new Map<string, Tool>()
      all = listed.map((definition) => {
        const id = ids.get(definition.name) ?? ''
        const key = JSON.stringify([id, definition])
        const tool = made.get(key) ?? makeTool(config, id, definition, calls)
        next.set(key, tool)
        return { tool, definition }
      })
      made = next
      withheld = all.filter(({ definition }) => sifted.withheld.has(definition))
      tools = all.filter(({ definition }) => !sifted.withheld.has(definition)).map(({ tool }) => tool)
    },
    clear,
  }
}
