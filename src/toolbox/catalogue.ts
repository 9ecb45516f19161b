import type { Log } from '../chat/ports.ts'
import { cleanLine } from '../lib/text/clean-text.ts'
import type { Tool, ToolSource } from '../tools/tool.ts'
import { nameTools } from '../prompt/tool-names.ts'
import type { CatalogueTool } from '../prompt/snapshot.ts'
import { sanitizeDefinition } from './tool-texts.ts'
import { createToolIndex, type FindTools } from './tool-index.ts'

/** All tools there are at one moment, before any scope. */
export interface Catalogue {
  /**
   * As they are shown, in the order of the sources. Equal tools of a later catalogue are the same objects.
   */
  readonly tools: readonly CatalogueTool[]
  /** The tool that runs; undefined for an id that is not in `tools`. */
  handler(id: string): Tool | undefined
  /** Searches some of `tools`. Keeps its index for as long as the catalogue. */
  readonly find: FindTools
}

export interface CatalogueParts {
  readonly sources: readonly ToolSource[]
  /**
   * Ids that the config disables, with their aliases and every tool that is built on them. Read each time.
   */
  readonly disabled: readonly string[]
  readonly log: Log
}

/**
 * Returns the function that gives the present catalogue: the same object until a source or the config
 * changes.
 */
export function createCatalogue(parts: CatalogueParts): () => Catalogue {
  const textsOf = createTexts()
  let listed: readonly Listed[] = []
  let { disabled } = parts
  let catalogue = catalogueOf([], [])
  return () => {
    const now = parts.sources.flatMap((source) => source.tools().map((tool) => ({ tool, source })))
    if (!sameTools(now, listed) || parts.disabled !== disabled) {
      listed = now
      disabled = parts.disabled
      const byId = firstOfEach(now, parts.log)
      const kept = enabled(byId, new Set(disabled))
      const tools = nameTools(kept.map((one) => describe(one, byId, textsOf(one.tool))))
      // A prompt, its prices and its process know tools by their objects.
      const before = new Map(catalogue.tools.map((tool) => [JSON.stringify(tool), tool]))
      catalogue = catalogueOf(
        kept,
        tools.map((tool) => before.get(JSON.stringify(tool)) ?? tool),
      )
    }
    return catalogue
  }
}

/** Reads each tool once: a change of one in a thousand costs no more than itself. */
function createTexts(): (tool: Tool) => ReturnType<typeof sanitizeDefinition> {
  const known = new WeakMap<Tool, ReturnType<typeof sanitizeDefinition>>()
  return (tool) => {
    const texts = known.get(tool) ?? sanitizeDefinition(tool)
    known.set(tool, texts)
    return texts
  }
}

interface Listed {
  readonly tool: Tool
  readonly source: ToolSource
}

const sameTools = (a: readonly Listed[], b: readonly Listed[]): boolean =>
  a.length === b.length && a.every(({ tool }, index) => tool === b[index]?.tool)

function catalogueOf(kept: readonly Listed[], tools: readonly CatalogueTool[]): Catalogue {
  const handlers = new Map(kept.map(({ tool }) => [tool.id, tool]))
  return { tools, handler: (id) => handlers.get(id), find: createToolIndex() }
}

type ById = ReadonlyMap<string, Listed>

function firstOfEach(listed: readonly Listed[], log: Log): ById {
  const byId = new Map<string, Listed>()
  for (const one of listed) {
    const first = byId.get(one.tool.id)
    if (!first) byId.set(one.tool.id, one)
    else {
      const facts = { tool: one.tool.id, kept: first.source.name, left: one.source.name }
      log.warn(facts, 'two tools have one id; the first is kept')
    }
  }
  return byId
}

/** Those whose ids are not disabled, nor an alias of theirs, nor a tool that they are built on. */
function enabled(byId: ById, disabled: ReadonlySet<string>): readonly Listed[] {
  const all = [...byId.values()]
  const roots = new Set(all.filter(({ tool }) => disabled.has(tool.id)).map(({ tool }) => rootOf(tool, byId)))
  if (roots.size === 0) return all
  return all.filter(({ tool }) => !isDisabled(tool, roots, byId))
}

function isDisabled(tool: Tool, roots: ReadonlySet<string>, byId: ById): boolean {
  const seen = new Set<Tool>()
  for (let one: Tool | undefined = tool; one && !seen.has(one); one = baseOf(one, byId)) {
    seen.add(one)
    if (roots.has(rootOf(one, byId))) return true
  }
  return false
}

/** The tool that this one is an alias of, or that it is built on. */
function baseOf(tool: Tool, byId: ById): Tool | undefined {
  const next = tool.aliasOf ?? tool.base
  return next === undefined ? undefined : byId.get(next)?.tool
}

const rootOf = (tool: Tool, byId: ById): string => aliasChain(tool, byId).at(-1) ?? tool.id

function aliasChain(tool: Tool, byId: ById): readonly string[] {
  const chain: string[] = []
  for (let id = tool.aliasOf; id !== undefined && !chain.includes(id); id = byId.get(id)?.tool.aliasOf) {
    chain.push(id)
  }
  return chain
}

function describe(
  { tool, source }: Listed,
  byId: ById,
  { problem, ...texts }: ReturnType<typeof sanitizeDefinition>,
): Omit<CatalogueTool, 'name'> {
  const unavailable = problem ?? tool.unavailable
  return {
    id: tool.id,
    group: source.group,
    source: source.name,
    ...texts,
    access: tool.access,
    aliasOf: aliasChain(tool, byId),
    ...(unavailable === undefined ? {} : { unavailable: cleanLine(unavailable) }),
    ...(tool.yields ? { yields: tool.yields } : {}),
  }
}
