import type { Json } from '../lib/json.ts'
import { definitionOf } from '../wrap/definitions.ts'
import { framingOf } from '../wrap/framing.ts'
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

/** Tokens of each tool's definition in full: what wrap/definitions.ts charges for it in a prompt. */
async function costOf(
  tools: readonly CatalogueTool[],
  { model }: Viewer,
  composer: Pick<Composer, 'count'>,
): Promise<readonly number[]> {
  const { encoding, backend } = model ?? { encoding: 'o200k_base', backend: 'guide' }
  const { factor, perTool } = framingOf(backend)
  const counts = await composer.count(
    encoding,
    tools.map((tool) => JSON.stringify(definitionOf(tool, 'full'))),
  )
  return counts.map((count) => Math.ceil(count * factor) + perTool)
}
