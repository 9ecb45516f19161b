import type { Json } from '../base/json.ts'
import { createSerial } from '../base/jobs/serial.ts'
import { zip } from '../base/basics.ts'
import { definitionOf, framedTokens, uniqueTools } from '../wrap/scope/index.ts'
import { EXACT_FRAMING, type CatalogueTool, type Composer } from '../wrap/index.ts'
import type { FindScopedTools, ScopeQuery } from './scoped-tools.ts'

export interface ListedTool {
  readonly tool: CatalogueTool
  /** True if models are offered the tool. */
  readonly visible: boolean
  /** Empty if the tool is visible. */
  readonly reason: string
  /** Tokens of the full definition, with what the provider adds. */
  readonly tokens: number
}

export interface ToolList {
  /** The scope as the room stores it. */
  readonly scope: Json
  /** The model's scope in this room, if it has one. */
  readonly modelScope?: Json
  readonly tools: readonly ListedTool[]
  /** The number of visible tools, and their tokens. */
  readonly visible: number
  readonly tokens: number
  readonly warnings: readonly string[]
}

export type ToolCount = Pick<ToolList, 'scope' | 'visible'>

/** Rejects with `StorageError`. */
export async function countTools(scopedTools: FindScopedTools, query: ScopeQuery): Promise<ToolCount> {
  const { scope, visible } = await scopedTools(query)
  return { scope, visible: uniqueTools(visible).offered.length }
}

/** The function rejects with `StorageError` and `WrapError`. */
export function createToolList(scopedTools: FindScopedTools, composer: Pick<Composer, 'count'>) {
  const countTokens = createDefinitionCounter(composer)
  return async (query: ScopeQuery): Promise<ToolList> => {
    const { encoding, framing } = query.model ?? { encoding: 'o200k_base', framing: EXACT_FRAMING }
    const { catalogue, scope, modelScope, warnings, ...scoped } = await scopedTools(query)
    const counts = await countTokens(encoding, catalogue.tools)
    const hidden = [...scoped.hidden, ...uniqueTools(scoped.visible).left]
    const reasons = new Map(hidden.map(({ tool, reason }) => [tool.id, reason]))
    const tools = zip(catalogue.tools, counts).map(([tool, count]) => ({
      tool,
      visible: !reasons.has(tool.id),
      reason: reasons.get(tool.id) ?? '',
      tokens: framedTokens(count, framing),
    }))
    const visible = tools.filter((one) => one.visible)
    const tokens = visible.reduce((sum, one) => sum + one.tokens, 0)
    const inRoom = modelScope === undefined ? { scope } : { scope, modelScope }
    return { ...inRoom, tools, visible: visible.length, tokens, warnings }
  }
}

/** Tools counted in one request. Their counts are kept if a later request fails. */
const TOOLS_AT_ONCE = 16

/** Counts one list at a time. */
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
        const texts = some.map((tool) => JSON.stringify(definitionOf(tool, 'full')))
        for (const [tool, count] of zip(some, await composer.count(encoding, texts))) counts.set(tool, count)
      }
      return tools.map((tool) => counts.get(tool)!)
    })
}
