import type { Tool } from '../../../tools/tool.ts'
import type { McpServerConfig } from '../config.ts'
import type { McpConnection } from './connection.ts'
import type { McpDefinition } from './definition.ts'
import { makeTool } from './tool.ts'
import { toolIds, type OtherNames } from './tool-ids.ts'

/** The tools that a server offers now. */
export interface OfferedTools {
  /** The same list for as long as nothing changes, with the same objects for what did not. */
  tools(): readonly Tool[]
  /** The server lists these now. */
  take(definitions: readonly McpDefinition[]): Promise<void>
  clear(): void
}

/** `call` runs a tool by the name that the server knows. */
export function createOfferedTools(
  config: McpServerConfig,
  { names }: { readonly names: OtherNames },
  call: McpConnection['call'],
): OfferedTools {
  let made: ReadonlyMap<string, Tool> = new Map()
  let tools: readonly Tool[] = []
  return {
    tools: () => tools,
    async take(definitions) {
      const ids = toolIds(
        config.name,
        definitions.map(({ name }) => name),
        names,
      )
      const next = new Map<string, Tool>()
      for (const definition of definitions) {
        const id = ids.get(definition.name)
        if (id === undefined) continue
        const key = JSON.stringify([id, definition])
        next.set(key, made.get(key) ?? makeTool(config, id, definition, call))
      }
      made = next
      tools = [...next.values()]
    },
    clear() {
      tools = []
    },
  }
}
