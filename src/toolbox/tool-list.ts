import type { Json } from '../lib/json.ts'
import { createSerial } from '../lib/jobs/serial.ts'
import { zip } from '../lib/zip.ts'
import { definitionOf, framedTokens } from '../prompt/tool-definitions.ts'
import { eachOnce } from '../prompt/tool-names.ts'
import { EXACT_FRAMING, type Framing } from '../prompt/model-settings.ts'
import type { CatalogueTool } from '../prompt/snapshot.ts'
import type { Composer } from '../prompt/ports.ts'
import type { FindScopedTools, ScopedTools, ScopeQuery } from './scoped-tools.ts'

/** A tool as `/tools` shows it. */
export interface ListedTool {
  readonly tool: CatalogueTool
  /** Whether models are offered it: it is in scope, can run here, and no other tool stands for it. */
  readonly visible: boolean
  /** Why it is hidden; empty when it is not. */
  readonly reason: string
  /** Tokens of its full definition, as we count them, with what the model's provider adds. */
  readonly tokens: number
}

/** What `/tools` shows: every tool of the catalogue, in its order. */
export interface ToolList {
  /** The room's scope as it is stored. */
  readonly scope: Json
  readonly tools: readonly ListedTool[]
  /** How many are visible. */
  readonly visible: number
  /** Tokens of the visible ones. */
  readonly tokens: number
  readonly warnings: readonly string[]
}

/** Lists the tools for a query. Rejects with `StorageError` and `WrapError`. */
export type ListTools = (query: ScopeQuery) => Promise<ToolList>

/** How many tools there are for a query, for which no tokens need be counted. */
export type ToolCount = Pick<ToolList, 'scope' | 'visible'>

/** As the list of the same query says. Rejects with `StorageError`. */
export async function countTools(scopedTools: FindScopedTools, query: ScopeQuery): Promise<ToolCount> {
  const { scope, visible } = await scopedTools(query)
  return { scope, visible: eachOnce(visible).offered.length }
}

/** Every tool is counted once in an encoding, so listing again costs nothing. */
export function createToolList(scopedTools: FindScopedTools, composer: Pick<Composer, 'count'>): ListTools {
  const countTokens = createDefinitionCounter(composer)
  return async (query) => {
    const { encoding, framing } = query.model ?? { encoding: 'o200k_base', framing: EXACT_FRAMING }
    const scoped = await scopedTools(query)
    return listOf(scoped, await countTokens(encoding, scoped.catalogue.tools), framing)
  }
}

function listOf(scoped: ScopedTools, counts: readonly number[], framing: Framing): ToolList {
  const hidden = [...scoped.hidden, ...eachOnce(scoped.visible).left]
  const reasons = new Map(hidden.map(({ tool, reason }) => [tool.id, reason]))
  const tools = zip(scoped.catalogue.tools, counts).map(([tool, count]) => ({
    tool,
    visible: !reasons.has(tool.id),
    reason: reasons.get(tool.id) ?? '',
    tokens: framedTokens(count, framing),
  }))
  const visible = tools.filter((one) => one.visible)
  return {
    scope: scoped.scope,
    tools,
    visible: visible.length,
    tokens: visible.reduce((sum, one) => sum + one.tokens, 0),
    warnings: scoped.warnings,
  }
}

/** Tools that are counted with one request: what was counted is kept, also where a later request fails. */
const TOOLS_AT_ONCE = 16

/**
 * Counts the tokens of each tool's full definition, in the order of the tools. One list is counted at a time.
 */
function createDefinitionCounter(composer: Pick<Composer, 'count'>) {
  const known = new Map<string, WeakMap<CatalogueTool, number>>()
  const oneByOne = createSerial()
  return (encoding: string, tools: readonly CatalogueTool[]): Promise<readonly number[]> =>
    oneByOne(async () => {
      const counts = known.get(encoding) ?? new WeakMap<CatalogueTool, number>()
      known.set(encoding, counts)
      const fresh = tools.filter((tool) => !counts.has(tool))
      for (let at = 0; at < fresh.length; at += TOOLS_AT_ONCE) {
        const some = fresh.slice(at, at + TOOLS_AT_ONCE)
        for (const [tool, count] of zip(some, await composer.count(encoding, some.map(sentText))))
          counts.set(tool, count)
      }
      return tools.map((tool) => counts.get(tool)!)
    })
}

const sentText = (tool: CatalogueTool): string => JSON.stringify(definitionOf(tool, 'full'))
