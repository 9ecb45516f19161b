import type { Json } from '../lib/json.ts'
import type { CatalogueTool } from '../wrap/snapshot.ts'
import type { Composer } from '../wrap/ports.ts'
import { viewTools, type Viewer, type ViewParts } from './view.ts'

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

/** Rejects with `StorageError` and `WrapError`. */
export async function listTools(parts: ToolListParts, viewer: Viewer): Promise<ToolList> {
  const view = await viewTools(parts, viewer)
  const all = view.catalogue.tools
  const reasons = new Map(view.hidden.map(({ tool, reason }) => [tool.id, reason]))
  const costs = await costOf(all, viewer, parts.composer)
  const tools = all.map((tool, index) => ({
    tool,
    visible: !reasons.has(tool.id),
    reason: reasons.get(tool.id) ?? '',
    tokens: costs[index]!,
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
