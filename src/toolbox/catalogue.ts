import type { Log } from '../chat/ports.ts'
import { cleanLine } from '../lib/text/clean-text.ts'
import type { Tool, ToolSource } from '../tools/tool.ts'
import { nameTools } from '../prompt/tool-names.ts'
import type { CatalogueTool } from '../prompt/snapshot.ts'
import { sendable } from './sendable.ts'
import { createToolIndex, type FindTools } from './tool-index.ts'

/** All tools there are at one moment, before any scope. */
export interface Catalogue {
  /** What is shown of them, in the order of the sources. The same object for as long as nothing changes. */
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
  let listed: readonly Listed[] = []
  let { disabled } = parts
  let catalogue = merge([], parts)
  return () => {
    const now = parts.sources.flatMap((source) => source.tools().map((tool) => ({ tool, source })))
    if (!sameTools(now, listed) || parts.disabled !== disabled) {
      listed = now
      disabled = parts.disabled
      catalogue = merge(now, parts)
    }
    return catalogue
  }
}

interface Listed {
  readonly tool: Tool
  readonly source: ToolSource
}

const sameTools = (a: readonly Listed[], b: readonly Listed[]): boolean =>
  a.length === b.length && a.every(({ tool }, index) => tool === b[index]?.tool)

function merge(listed: readonly Listed[], { disabled, log }: CatalogueParts): Catalogue {
  const byId = firstOfEach(listed, log)
  const kept = [...byId.values()].filter(({ tool }) => !isDisabled(tool, new Set(disabled), byId))
  const handlers = new Map(kept.map(({ tool }) => [tool.id, tool]))
  return {
    tools: nameTools(kept.map((one) => describe(one, byId))),
    handler: (id) => handlers.get(id),
    find: createToolIndex(),
  }
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

function isDisabled(tool: Tool, disabled: ReadonlySet<string>, byId: ById): boolean {
  const seen = new Set<Tool>()
  for (let one: Tool | undefined = tool; one && !seen.has(one); one = baseOf(one, byId)) {
    seen.add(one)
    if (allNames(one, byId).some((id) => disabled.has(id))) return true
  }
  return false
}

/** The tool that this one is an alias of, or that it is built on. */
function baseOf(tool: Tool, byId: ById): Tool | undefined {
  const next = tool.aliasOf ?? tool.base
  return next === undefined ? undefined : byId.get(next)?.tool
}

/** All ids of one tool: its aliases, and what it is an alias of. */
function allNames(tool: Tool, byId: ById): readonly string[] {
  const root = rootOf(tool, byId)
  return [...byId.values()].filter((one) => rootOf(one.tool, byId) === root).map((one) => one.tool.id)
}

const rootOf = (tool: Tool, byId: ById): string => aliasChain(tool, byId).at(-1) ?? tool.id

function aliasChain(tool: Tool, byId: ById): readonly string[] {
  const chain: string[] = []
  for (let id = tool.aliasOf; id !== undefined && !chain.includes(id); id = byId.get(id)?.tool.aliasOf) {
    chain.push(id)
  }
  return chain
}

function describe({ tool, source }: Listed, byId: ById): Omit<CatalogueTool, 'name'> {
  const { problem, ...words } = sendable(tool)
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
