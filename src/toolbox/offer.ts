import type { JsonObject } from '../lib/json.ts'
import { definitionOf } from '../prompt/definitions.ts'
import { findTools, findToolsDefinition } from '../prompt/find-tools.ts'
import type { Prompt, PromptTool, ToolDefinition } from '../prompt/prompt.ts'
import type { CatalogueTool } from '../prompt/snapshot.ts'
import { failed, ok, type ToolResult } from '../tools/result.ts'
import type { Tool } from '../tools/tool.ts'
import type { ToolsInReach } from './scoped-tools.ts'

const FIND_TOOLS = findToolsDefinition.name

/** Ids of deferred tools that `find_tools` has shown in this turn. */
export type FoundTools = Set<string>

/** What a called name stands for. */
export type Target =
  | {
      readonly kind: 'tool'
      readonly id: string
      readonly tool: Tool
      /** The id of what it is an alias of, else its own: permissions are given to the tool, whatever it is called by. */
      readonly grantId: string
    }
  | { readonly kind: 'search'; readonly id: string }

/** What the names in a caller's calls stand for. `now` are the tools in scope at the moment of the call. */
export interface Offer {
  /** Undefined for any name that cannot be used: it never was, is hidden, was taken away, or its tool has changed. */
  resolve(name: string, now: ToolsInReach): Target | undefined
  /** The text for a caller whose call names no tool that it has. */
  unknown(name: string, now: ToolsInReach): string
  /** The result of a call of `find_tools`. The tools in it can be called from the next step on. */
  search(args: JsonObject, now: ToolsInReach): ToolResult
}

/** The tools that one request to a model offers. They do not change while its calls run. */
export interface SentOffer extends Offer {
  /** What is sent, in this order. */
  readonly definitions: readonly ToolDefinition[]
  /** Ids of all tools that can be called in this turn: those that are sent, deferred, or stood for by one of these. */
  readonly ids: readonly string[]
}

/** `composed` are the tools that the prompt was made from. */
export function createOffer(prompt: Prompt, composed: ToolsInReach, found: FoundTools): SentOffer {
  const known = new Map(composed.visible.map((tool) => [tool.id, tool]))
  const inPrompt = (wanted: (tool: PromptTool) => boolean): readonly CatalogueTool[] =>
    prompt.tools.filter(wanted).flatMap(({ id }) => known.get(id) ?? [])
  const deferred = inPrompt(({ form }) => form === 'deferred')
  const isLoaded = ({ form, id }: PromptTool): boolean => form !== 'deferred' || found.has(id)
  const callable = new Map(inPrompt(isLoaded).map((tool) => [tool.name, tool]))
  const stoodFor = prompt.tools
    .filter(isLoaded)
    .flatMap(({ standsFor = [] }) => standsFor.flatMap((id) => known.get(id) ?? []))
  const others = new Map(stoodFor.map((tool) => [tool.name, tool]))
  const hasSearch = deferred.length > 0 || prompt.tools.some(({ name }) => name === FIND_TOOLS)

  const resolve = (name: string, now: ToolsInReach): Target | undefined => {
    if (hasSearch && name === FIND_TOOLS) return { kind: 'search', id: FIND_TOOLS }
    const offered = callable.get(name) ?? others.get(name)
    const current = offered && now.visible.find(({ id }) => id === offered.id)
    return current && sameDefinition(offered, current) ? targetOf(current, now) : undefined
  }

  return {
    definitions: definitionsOf(prompt, [...callable.values()], found),
    ids: prompt.tools.flatMap(({ id, standsFor = [] }) => [id, ...standsFor]),
    resolve,
    unknown(name, now) {
      const names = [...callable.keys(), ...(hasSearch ? [FIND_TOOLS] : [])]
      const usable = names.filter((one) => resolve(one, now))
      return unknownTool(name, usable)
    },
    search({ query }, now) {
      if (typeof query !== 'string' || query.trim() === '') return failed('find_tools: query must be a text')
      const current = new Set(now.visible.map(({ id }) => id))
      const searched = deferred.filter(({ id }) => current.has(id))
      const matching = findTools(query, searched)
      for (const { id } of matching) found.add(id)
      return ok(searchText(query, matching))
    },
  }
}

/** The offer to a person, who is sent no definitions: each name stands for the tool of that name in the scope of now. */
export const directOffer: Offer = {
  resolve(name, now) {
    const listed = now.visible.find((tool) => tool.name === name)
    return listed && targetOf(listed, now)
  },
  unknown(name, { visible }) {
    const names = visible.map((tool) => tool.name)
    return unknownTool(name, names)
  },
  search: () => failed('there is nothing to search for here'),
}

function targetOf({ id, aliasOf }: CatalogueTool, { catalogue }: ToolsInReach): Target | undefined {
  const tool = catalogue.handler(id)
  return tool && { kind: 'tool', id, tool, grantId: aliasOf.at(-1) ?? id }
}

/** The same text for every name that cannot be used, whatever the cause: a model must not learn what is hidden. */
const unknownTool = (name: string, names: readonly string[]): string =>
  `ERROR: You requested a tool called '${name}', however we only have these tools: ${names.map((one) => `'${one}'`).join(', ')}`

/** A tool whose definition has changed since it was offered counts as another tool. */
const sameDefinition = (a: CatalogueTool, b: CatalogueTool): boolean =>
  a === b || (a.name === b.name && fingerprint(a) === fingerprint(b))

const fingerprint = (tool: CatalogueTool): string => JSON.stringify([tool.description, tool.schema])

function definitionsOf(
  prompt: Prompt,
  callable: readonly CatalogueTool[],
  found: FoundTools,
): readonly ToolDefinition[] {
  const sent = prompt.tools.flatMap(({ definition }) => definition ?? [])
  const names = new Set(sent.map(({ name }) => name))
  const asked = callable.filter(({ id, name }) => found.has(id) && !names.has(name))
  return [...sent, ...asked.map((tool) => definitionOf(tool, 'full'))]
}

function searchText(query: string, matching: readonly CatalogueTool[]): string {
  if (matching.length === 0) return `No tool matches ${JSON.stringify(query)}; try other words.`
  const lines = matching.map((tool) => JSON.stringify(definitionOf(tool, 'full')))
  return ['You can call these from the next step on:', ...lines].join('\n')
}
