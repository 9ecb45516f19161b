import type { JsonObject } from '../lib/json.ts'
import { findToolsDefinition } from '../prompt/tool-definitions.ts'
import type { Prompt, PromptTool, ToolDefinition } from '../prompt/prompt.ts'
import type { CatalogueTool } from '../prompt/snapshot.ts'
import type { ToolResult } from '../tools/result.ts'
import type { Tool } from '../tools/tool.ts'
import type { ToolsInReach } from './scoped-tools.ts'
import { createSearch, type SearchParts } from './find-tools.ts'
import { nearestFirst } from '../lib/suggest.ts'
import { searchWords } from './tool-index.ts'

const FIND_TOOLS = findToolsDefinition.name

/** What a called name stands for. */
export type Target =
  | {
      readonly kind: 'tool'
      readonly id: string
      readonly tool: Tool
      /**
       * The id of what it is an alias of, else its own: permissions are given to the tool, whatever it is
       * called by.
       */
      readonly grantId: string
      /**
       * The same for all tools that do the same: the id of what it is an alias of, or of a tool that yields
       * to that one.
       */
      readonly sharedId: string
    }
  | { readonly kind: 'search'; readonly id: string }

/** What the names in a caller's calls stand for. `now` are the tools in scope at the moment of the call. */
export interface Offer {
  /**
   * Undefined for any name that cannot be used: it never was, is hidden, was taken away, or its tool has
   * changed.
   */
  resolve(name: string, now: ToolsInReach): Target | undefined
  /** The text for a caller whose call names no tool that it has. */
  unknown(name: string, now: ToolsInReach): string
  /**
   * The result of a call of `find_tools`. The tools that it says so of can be called from the next step on.
   */
  search(args: JsonObject, now: ToolsInReach): Promise<ToolResult>
}

/**
 * What the requests of one turn have offered so far. The model has read of it, so it can be called as well
 * where a later request has no more space for it and defers it. What the room's script or a scope leaves out
 * since is not offered any more.
 */
export interface OfferedSoFar {
  /** By name, as it was sent last. */
  readonly tools: Map<string, { readonly tool: CatalogueTool; readonly sent: PromptTool }>
  hasSearch: boolean
}

/** Nothing was offered yet. */
export const createOfferedSoFar = (): OfferedSoFar => ({ tools: new Map(), hasSearch: false })

/** What an offer is made with. */
export interface OfferParts extends Omit<SearchParts, 'space'> {
  /** Gets what this request offers. */
  readonly offered: OfferedSoFar
  /** As in `SearchParts`. `sentAs` is that of the offer. */
  readonly space: (sentAs: SentOffer['sentAs']) => number
}

/** The tools that a model has in one step of its turn. They do not change while its calls run. */
export interface SentOffer extends Offer {
  /** What is sent, in this order. */
  readonly definitions: readonly ToolDefinition[]
  /**
   * Ids of all tools that can be called in this turn: those that are sent, deferred, or stood for by one of
   * these.
   */
  readonly ids: readonly string[]
  /** The tool that is called by a name, as it was sent last in this turn; undefined where there is none. */
  sentAs(name: string): PromptTool | undefined
}

/** `composed` are the tools that the prompt was made from. */
export function createOffer(prompt: Prompt, composed: ToolsInReach, parts: OfferParts): SentOffer {
  const { offered } = parts
  const known = new Map(composed.visible.map((tool) => [tool.id, tool]))
  addOffered(prompt, known, offered)
  const definitions = prompt.tools.flatMap(({ definition }) => definition ?? [])
  const ids = prompt.tools.flatMap(({ id, standsFor = [] }) => [id, ...standsFor])
  const inPrompt = new Set(ids)
  const callable = (name: string) => {
    const one = offered.tools.get(name)
    return one && inPrompt.has(one.tool.id) ? one : undefined
  }
  const sentAs = (name: string): PromptTool | undefined => callable(name)?.sent
  const search = createSearch({ ...parts, space: () => parts.space(sentAs) }, composed.catalogue.find)

  /** The list in the prompt names it, so it is no secret that it is there. */
  const isDeferred = (name: string, now: ToolsInReach): boolean =>
    prompt.tools.some(
      ({ id, form }) => form === 'deferred' && known.get(id)?.name === name && isInScope(id, now),
    )

  const resolve = (name: string, now: ToolsInReach): Target | undefined => {
    if (offered.hasSearch && name === FIND_TOOLS) return { kind: 'search', id: FIND_TOOLS }
    const tool = callable(name)?.tool
    const current = tool && now.visible.find(({ id }) => id === tool.id)
    return current && sameDefinition(tool, current) ? targetOf(current, now) : undefined
  }

  return {
    definitions,
    ids,
    sentAs,
    resolve,
    unknown(name, now) {
      const names = definitions.map((one) => one.name).filter((one) => resolve(one, now))
      const canSearch = names.includes(FIND_TOOLS)
      return canSearch && isDeferred(name, now) ? notLoaded(name) : unknownTool(name, names, canSearch)
    },
    async search(args, now) {
      const current = new Set(now.visible.map(({ id }) => id))
      const searchable = prompt.tools.flatMap(({ id, form }) => {
        const tool = current.has(id) ? known.get(id) : undefined
        return tool ? [{ tool, form }] : []
      })
      return await search(args, searchable)
    },
  }
}

function addOffered(
  { tools }: Prompt,
  known: ReadonlyMap<string, CatalogueTool>,
  offered: OfferedSoFar,
): void {
  for (const sent of tools) {
    if (sent.form === 'deferred') continue
    if (sent.id === FIND_TOOLS) offered.hasSearch = true
    for (const id of [sent.id, ...(sent.standsFor ?? [])]) {
      const tool = known.get(id)
      if (tool) offered.tools.set(tool.name, { tool, sent })
    }
  }
}

/** What a visible tool stands for; undefined where nothing runs it. */
export function targetOf({ id, aliasOf }: CatalogueTool, { catalogue }: ToolsInReach): Target | undefined {
  const tool = catalogue.handler(id)
  const grantId = aliasOf.at(-1) ?? id
  const isOther = (other: CatalogueTool): boolean =>
    other.yields === true && other.id.toLowerCase() === grantId.toLowerCase()
  return tool && { kind: 'tool', id, tool, grantId, sharedId: catalogue.tools.find(isOther)?.id ?? grantId }
}

const isInScope = (id: string, now: ToolsInReach): boolean => now.visible.some((tool) => tool.id === id)

const notLoaded = (name: string): string =>
  `ERROR: '${name}' is there, but it is not loaded: call ${FIND_TOOLS} with its name first`

/** A tool whose definition has changed since it was offered counts as another tool. */
const sameDefinition = (a: CatalogueTool, b: CatalogueTool): boolean =>
  a === b || (a.name === b.name && fingerprint(a) === fingerprint(b))

const fingerprint = (tool: CatalogueTool): string => JSON.stringify([tool.description, tool.schema])

/**
 * Names that are listed. Of more of them, only the nearest ones: a list of a thousand costs more than it
 * tells.
 */
const MAX_NAMES = 40
const NEAREST = 10

/**
 * The same text for every name that cannot be used, whatever the cause: a model must not learn what is
 * hidden.
 */
export function unknownTool(name: string, names: readonly string[], canSearch: boolean): string {
  const told = (some: readonly string[]): string => some.map((one) => `'${one}'`).join(', ')
  const start = `ERROR: You requested a tool called '${name}', however we only have these tools: `
  if (names.length <= MAX_NAMES) return `${start}${told(names)}`
  const hint = canSearch ? `; ${findToolsDefinition.name} finds them by what they do` : ''
  return `${start}${told(nearest(name, names))} and ${names.length - NEAREST} more${hint}`
}

/** Those that have most of its words, and of these the ones that are written most like it. */
function nearest(name: string, names: readonly string[]): readonly string[] {
  const wanted = new Set(searchWords(name))
  const shared = new Map(
    names.map((one) => [one, new Set(searchWords(one).filter((word) => wanted.has(word))).size]),
  )
  return nearestFirst(name, names)
    .toSorted((a, b) => (shared.get(b) ?? 0) - (shared.get(a) ?? 0))
    .slice(0, NEAREST)
}
