import type { Json } from '../lib/json.ts'
import { definitionOf } from '../prompt/definitions.ts'
import { framingOf } from '../prompt/framing.ts'
import type { CatalogueTool } from '../prompt/snapshot.ts'
import type { Composer } from '../prompt/ports.ts'
import { viewTools, type View, type Viewer, type ViewParts } from './scoped-tools.ts'

/** A tool as `/tools` shows it. */
export interface ListedTool {
  readonly tool: CatalogueTool
  readonly visible: boolean
  /** Why it is hidden; empty when it is not. */
  readonly reason: string
  /** Tokens of its definition, in full, as the model's provider counts it. */
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

/** What a list is made from. */
export interface ToolListParts extends ViewParts {
  readonly composer: Pick<Composer, 'count'>
}

/** Lists the tools for a viewer. Rejects with `StorageError` and `WrapError`. */
export type ListTools = (viewer: Viewer) => Promise<ToolList>

/** Every tool is counted once in an encoding, so that asking again and again costs nothing. */
export function createToolList(parts: ToolListParts): ListTools {
  const count = createDefinitionCounter(parts.composer)
  return async (viewer) => {
    const view = await viewTools(parts, viewer)
    const { encoding, backend } = viewer.model ?? { encoding: 'o200k_base', backend: 'guide' }
    const counts = await count(encoding, view.catalogue.tools)
    return listOf(view, counts, backend)
  }
}

function listOf(view: View, counts: readonly number[], backend: string): ToolList {
  const { factor, perTool } = framingOf(backend)
  const reasons = new Map(view.hidden.map(({ tool, reason }) => [tool.id, reason]))
  const tools = view.catalogue.tools.map((tool, index) => ({
    tool,
    visible: !reasons.has(tool.id),
    reason: reasons.get(tool.id) ?? '',
    // As prompt/definitions.ts charges for it in a prompt.
    tokens: Math.ceil(counts[index]! * factor) + perTool,
  }))
  const visible = tools.filter((one) => one.visible)
  return {
    scope: view.scope,
    tools,
    visible: visible.length,
    tokens: visible.reduce((sum, one) => sum + one.tokens, 0),
    warnings: view.warnings,
  }
}

function createDefinitionCounter(composer: Pick<Composer, 'count'>) {
  const known = new Map<string, WeakMap<CatalogueTool, number>>()
  return async (encoding: string, tools: readonly CatalogueTool[]): Promise<readonly number[]> => {
    const counts = known.get(encoding) ?? new WeakMap<CatalogueTool, number>()
    known.set(encoding, counts)
    const fresh = tools.filter((tool) => !counts.has(tool))
    const counted = fresh.length > 0 ? await composer.count(encoding, fresh.map(sent)) : []
    for (const [index, tool] of fresh.entries()) counts.set(tool, counted[index]!)
    return tools.map((tool) => counts.get(tool)!)
  }
}

const sent = (tool: CatalogueTool): string => JSON.stringify(definitionOf(tool, 'full'))
