import type { Json } from '../lib/json.ts'
import { failed, ok, type Tool, type ToolResult } from '../tools/tool.ts'
import { definitionOf } from '../prompt/definitions.ts'
import { findTools, findToolsDefinition } from '../prompt/find-tools.ts'
import type { Prompt, ToolDefinition } from '../prompt/prompt.ts'
import type { CatalogueTool } from '../prompt/snapshot.ts'
import type { View } from './scoped-tools.ts'

const FIND_TOOLS = findToolsDefinition.name

/** Ids of deferred tools that `find_tools` has shown in this turn. */
export type Found = Set<string>

/** What a called name stands for. */
export type Target =
  | { readonly kind: 'tool'; readonly id: string; readonly tool: Tool }
  | { readonly kind: 'search'; readonly id: string }

/** The tools that one request offers, frozen; whether they may still be used is asked of the view of now. */
export interface Offer {
  /** What is sent, in this order. */
  readonly definitions: readonly ToolDefinition[]
  /** Undefined alike for a name that never was, is hidden, was taken away or means something else now. */
  resolve(name: string, now: View): Target | undefined
  /** What a model is told that calls a name it does not have. */
  unknown(name: string, now: View): string
  /** Answers a call of `find_tools`; what it shows can be called from the next step on. */
  search(args: Json, now: View): ToolResult
}

/** `composed` is the view that the prompt was made from. */
export function createOffer(prompt: Prompt, composed: View, found: Found): Offer {
  const known = new Map(composed.visible.map((tool) => [tool.id, tool]))
  const deferred = prompt.tools.filter((one) => one.form === 'deferred').map((one) => known.get(one.id)!)
  const callable = new Map(
    prompt.tools
      .filter((one) => one.form !== 'deferred' || found.has(one.id))
      .flatMap((one) => known.get(one.id) ?? [])
      .map((tool) => [tool.name, tool]),
  )
  const hasSearch = deferred.length > 0 || prompt.tools.some((one) => one.name === FIND_TOOLS)

  const resolve = (name: string, now: View): Target | undefined => {
    if (hasSearch && name === FIND_TOOLS) return { kind: 'search', id: FIND_TOOLS }
    const offered = callable.get(name)
    const current = offered && now.visible.find((tool) => tool.id === offered.id)
    const tool = current && sameDefinition(offered, current) ? now.catalogue.handler(offered.id) : undefined
    return tool && { kind: 'tool', id: tool.id, tool }
  }

  return {
    definitions: definitionsOf(prompt, callable, found),
    resolve,
    unknown(name, now) {
      const names = [...callable.keys(), ...(hasSearch ? [FIND_TOOLS] : [])]
      return unknownTool(
        name,
        names.filter((one) => resolve(one, now)),
      )
    },
    search(args, now) {
      const { query } = (args ?? {}) as { query?: unknown }
      if (typeof query !== 'string' || query.trim() === '') return failed('find_tools: query must be a text')
      const matching = findTools(
        query,
        deferred.filter((tool) => now.visible.some((one) => one.id === tool.id)),
      )
      for (const tool of matching) found.add(tool.id)
      return ok(searchText(query, matching))
    },
  }
}

/** The one answer to a name that stands for nothing, whatever the cause. */
export const unknownTool = (name: string, names: readonly string[]): string =>
  `ERROR: You requested a tool called '${name}', however we only have these tools: ${names.map((one) => `'${one}'`).join(', ')}`

/** A tool whose definition changed since it was offered is another tool. */
const sameDefinition = (a: CatalogueTool, b: CatalogueTool): boolean =>
  a === b || (a.name === b.name && fingerprint(a) === fingerprint(b))

const fingerprint = (tool: CatalogueTool): string => JSON.stringify([tool.description, tool.schema])

function definitionsOf(
  prompt: Prompt,
  callable: ReadonlyMap<string, CatalogueTool>,
  found: Found,
): readonly ToolDefinition[] {
  const sent = prompt.tools.flatMap((one) => one.definition ?? [])
  const asked = [...callable.values()].filter((tool) => found.has(tool.id))
  return [...sent, ...asked.map((tool) => definitionOf(tool, 'full'))]
}

function searchText(query: string, matching: readonly CatalogueTool[]): string {
  if (matching.length === 0) return `No tool matches ${JSON.stringify(query)}; try other words.`
  const lines = matching.map((tool) => JSON.stringify(definitionOf(tool, 'full')))
  return ['You can call these from the next step on:', ...lines].join('\n')
}
