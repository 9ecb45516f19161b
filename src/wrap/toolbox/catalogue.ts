import { memoizePer } from '../../base/basics.ts'
import type { Log } from '../../base/environment.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import type { Tool, ToolSource } from '../../tools/index.ts'
import { nameTools } from '../scope/tool-names.ts'
import type { CatalogueTool } from '../snapshot.ts'
import { type SanitizedDefinition, sanitizeDefinition } from './tool-texts.ts'
import { createToolIndex, type FindTools } from './tool-index.ts'

/** All tools at one moment, before any scope. */
export interface Catalogue {
  /** Equal tools of a later catalogue are the same objects. */
  readonly tools: readonly CatalogueTool[]
  handler(id: string): Tool | undefined
  readonly find: FindTools
}

interface CatalogueParts {
  readonly sources: readonly ToolSource[]
  /** Ids of disabled tools, whose aliases and dependent tools are disabled too. Read each time. */
  readonly disabled: readonly string[]
  readonly log: Log
}

interface CatalogueEntry {
  readonly tool: Tool
  readonly source: ToolSource
}

type ById = ReadonlyMap<string, CatalogueEntry>

/** The returned function gives the same catalogue until a source or the config changes. */
export function createCatalogue(parts: CatalogueParts): () => Catalogue {
  const textsOf = memoizePer<Tool, SanitizedDefinition>()
  let listed: readonly CatalogueEntry[] = []
  let { disabled } = parts
  let catalogue = catalogueOf([], [])
  return () => {
    const now = parts.sources.flatMap((source) => source.tools().map((tool) => ({ tool, source })))
    const isSame =
      now.length === listed.length && now.every(({ tool }, index) => tool === listed[index]?.tool)
    if (isSame && parts.disabled === disabled) return catalogue
    listed = now
    disabled = parts.disabled
    const byId = uniqueById(now, parts.log)
    const kept = enabledTools(byId, new Set(disabled))
    const texts = (tool: Tool): SanitizedDefinition => textsOf(tool, '', () => sanitizeDefinition(tool))
    const named = nameTools(kept.map((one) => describe(one, byId, texts(one.tool))))
    // Reuses equal objects, by which prompts, token counts and composers recognize tools.
    const before = new Map(catalogue.tools.map((tool) => [JSON.stringify(tool), tool]))
    const tools = named.map((tool) => before.get(JSON.stringify(tool)) ?? tool)
    catalogue = catalogueOf(kept, tools)
    return catalogue
  }
}

function catalogueOf(kept: readonly CatalogueEntry[], tools: readonly CatalogueTool[]): Catalogue {
  const handlers = new Map(kept.map(({ tool }) => [tool.id, tool]))
  return { tools, handler: (id) => handlers.get(id), find: createToolIndex() }
}

function uniqueById(listed: readonly CatalogueEntry[], log: Log): ById {
  const byId = new Map<string, CatalogueEntry>()
  for (const one of listed) {
    const { id } = one.tool
    const first = byId.get(id)
    if (!first) byId.set(id, one)
    else
      log.warn(
        { tool: id, kept: first.source.name, left: one.source.name },
        'two tools have one id; the first is kept',
      )
  }
  return byId
}

function enabledTools(byId: ById, disabled: ReadonlySet<string>): readonly CatalogueEntry[] {
  const all = [...byId.values()]
  const rootOf = (tool: Tool): string => aliasChain(tool, byId).at(-1) ?? tool.id
  const roots = new Set(all.filter(({ tool }) => disabled.has(tool.id)).map(({ tool }) => rootOf(tool)))
  if (roots.size === 0) return all
  return all.filter(({ tool }) => {
    const seen = new Set<Tool>()
    for (let one: Tool | undefined = tool; one && !seen.has(one); one = baseOf(one, byId)) {
      seen.add(one)
      if (roots.has(rootOf(one))) return false
    }
    return true
  })
}

const baseOf = ({ aliasOf, base }: Tool, byId: ById): Tool | undefined =>
  byId.get(aliasOf ?? base ?? '')?.tool

/** Returns the ids of the chain of aliases, nearest first. Stops at a cycle. */
function aliasChain(tool: Tool, byId: ById): readonly string[] {
  const chain: string[] = []
  for (let id = tool.aliasOf; id !== undefined && !chain.includes(id); id = byId.get(id)?.tool.aliasOf)
    chain.push(id)
  return chain
}

function describe(
  { tool, source }: CatalogueEntry,
  byId: ById,
  { problem, ...texts }: SanitizedDefinition,
): Omit<CatalogueTool, 'name'> {
  const unavailable = problem ?? tool.unavailable
  return {
    id: tool.id,
    group: source.group,
    source: source.name,
    ...texts,
    access: tool.access,
    aliasOf: aliasChain(tool, byId),
    ...(unavailable !== undefined && { unavailable: cleanLine(unavailable) }),
    ...(tool.yields && { yields: tool.yields }),
  }
}
