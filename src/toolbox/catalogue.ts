import type { Log } from '../chat/ports.ts'
import { cleanLine } from '../lib/text/clean-text.ts'
import type { Tool, ToolSource } from '../tools/tool.ts'
import { nameTools } from '../prompt/tool-names.ts'
import type { CatalogueTool } from '../prompt/snapshot.ts'
import { sendable } from './sendable.ts'
import { createToolIndex, type FindTools } from './tool-index.ts'

/** All tools there are at one moment, before any scope. */
export interface Catalogue {
  /** What is shown of them, in the order of the sources. The same list for as long as nothing changes, of objects that stay. */
  readonly tools: readonly CatalogueTool[]
  /** What runs; undefined for an id that is not in `tools`. */
  handler(id: string): Tool | undefined
  /** Searches some of `tools`. What it has indexed for that is kept for as long as the catalogue. */
  readonly find: FindTools
}

/** What a catalogue is made from. */
export interface CatalogueParts {
  readonly sources: readonly ToolSource[]
  /** Ids that the config disables, together with their aliases and every tool that is built on them. Read each time. */
  readonly disabled: readonly string[]
  readonly log: Log
}

/** Returns the function that gives the catalogue of now. It is cheap while no source changes: every step calls it. */
export function createCatalogue(parts: CatalogueParts): () => Catalogue {
  const wordsOf = createWords()
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
      const tools = nameTools(kept.map((one) => describe(one, byId, wordsOf)))
      catalogue = catalogueOf(kept, withThoseBefore(tools, catalogue.tools))
    }
    return catalogue
  }
}

/** What is sent of a tool is read once: one of a thousand that changes costs no more than itself. */
function createWords(): (tool: Tool) => ReturnType<typeof sendable> {
  const known = new WeakMap<Tool, ReturnType<typeof sendable>>()
  return (tool) => {
    const words = known.get(tool) ?? sendable(tool)
    known.set(tool, words)
    return words
  }
}

/** What did not change is the same object as before: what was counted of it holds. */
function withThoseBefore(
  tools: readonly CatalogueTool[],
  before: readonly CatalogueTool[],
): readonly CatalogueTool[] {
  const known = new Map(before.map((tool) => [tool.id, tool]))
  return tools.map((tool) => {
    const old = known.get(tool.id)
    return old && isSame(old, tool) ? old : tool
  })
}

function isSame(a: CatalogueTool, b: CatalogueTool): boolean {
  const { aliasOf: aliases, ...rest } = a
  const { aliasOf, ...others } = b
  const entries = Object.entries(rest)
  return (
    aliases.join() === aliasOf.join() &&
    entries.length === Object.keys(others).length &&
    entries.every(([key, value]) => Reflect.get(others, key) === value)
  )
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
  wordsOf: (tool: Tool) => ReturnType<typeof sendable>,
): Omit<CatalogueTool, 'name'> {
  const { problem, ...words } = wordsOf(tool)
  const unavailable = problem ?? tool.unavailable
  return {
    id: tool.id,
    group: source.group,
    source: source.name,
    ...words,
    access: tool.access,
    aliasOf: aliasChain(tool, byId),
    ...(unavailable === undefined ? {} : { unavailable: cleanLine(unavailable) }),
    ...(tool.yields ? { yields: tool.yields } : {}),
  }
}
