import { UNKNOWN_TOOL } from '../../words/entry-text.ts'
import type { JsonObject } from '../../base/json.ts'
import { nearestFirst } from '../../base/suggest.ts'
import { findToolsDefinition } from '../scope/tool-definitions.ts'
import type { Prompt, PromptTool, ToolDefinition } from '../prompt.ts'
import type { CatalogueTool } from '../snapshot.ts'
import type { ToolResult } from '../../tools/results/index.ts'
import type { Tool } from '../../tools/index.ts'
import { resolveCalledName } from './called-names.ts'
import { createSearch, type SearchDependencies } from './find-tools.ts'
import type { AvailableTools } from './available-tools.ts'
import { searchWords } from './tool-index.ts'

export const FIND_TOOLS = findToolsDefinition.name

/** The tool that a called name means. */
export type Target =
  | {
      readonly kind: 'tool'
      readonly id: string
      readonly tool: Tool
      /** The id at the end of the chain of aliases, or `id`. Permissions are for this tool. */
      readonly grantId: string
      /** `grantId`, or the id of the tool that yields to that tool: tools with one function share this id. */
      readonly sharedId: string
    }
  | { readonly kind: 'search'; readonly id: string }

export const SEARCH: Target = { kind: 'search', id: FIND_TOOLS }

/** Resolves called names. `now` has the tools in scope at the moment of the call. */
export interface CallNames {
  /** Returns undefined for a name that is unknown, hidden or removed, or whose tool has changed. */
  resolve(name: string, now: AvailableTools): Target | undefined
  /** Returns the error for a name without a target, or throws a `Refusal`; then nothing is recorded. */
  unknown(name: string, now: AvailableTools): string
  /** Returns the arguments as JSON, if callers may write another form. May throw `Refusal`, as `unknown`. */
  argumentsOf?(text: string, name: string, target: Target): string
  /** Answers `find_tools`. The found tools can be called from the next step on. */
  search(args: JsonObject, now: AvailableTools): Promise<ToolResult>
}

/** The tools offered so far in a turn. They stay callable unless a later script or scope drops them. */
export interface OfferState {
  /** The tools by name, each as it was last sent. */
  readonly tools: Map<string, { readonly tool: CatalogueTool; readonly sent: PromptTool }>
  hasSearch: boolean
}

export const createOfferState = (): OfferState => ({ tools: new Map(), hasSearch: false })

interface OfferParts extends Omit<SearchDependencies, 'space'> {
  readonly offered: OfferState
  readonly space: (sentAs: SentOffer['sentAs']) => number
}

/** The tools that a model has in one step of its turn. */
export interface SentOffer extends CallNames {
  readonly definitions: readonly ToolDefinition[]
  /** Ids of the prompt's tools: sent, deferred, or offered under another name. */
  readonly ids: readonly string[]
  /** Returns a name's callable tool, as it was last sent in this turn. */
  sentAs(name: string): PromptTool | undefined
  /** Returns the name that a call means, among all tools in scope and all tools offered in the turn. */
  nameOf(called: string): string
}

/** `promptedFrom` has the tools that the prompt was composed with. */
export function createOffer(prompt: Prompt, promptedFrom: AvailableTools, parts: OfferParts): SentOffer {
  const { offered } = parts
  const known = new Map(promptedFrom.visible.map((tool) => [tool.id, tool]))
  recordOfferedTools(prompt, known, offered)
  const definitions = prompt.tools.flatMap(({ definition }) => definition ?? [])
  const ids = prompt.tools.flatMap(({ id, standsFor = [] }) => [id, ...standsFor])
  const inPrompt = new Set(ids)
  const callable = (name: string) => {
    const one = offered.tools.get(name)
    return one && inPrompt.has(one.tool.id) ? one : undefined
  }
  const sentAs = (name: string): PromptTool | undefined => callable(name)?.sent
  const search = createSearch({ ...parts, space: () => parts.space(sentAs) }, promptedFrom.catalogue.find)
  const findById = (id: string, { visible }: AvailableTools) => visible.find((tool) => tool.id === id)

  const resolve = (name: string, now: AvailableTools): Target | undefined => {
    if (offered.hasSearch && name === FIND_TOOLS) return SEARCH
    const tool = callable(name)?.tool
    const current = tool && findById(tool.id, now)
    return current && sameDefinition(tool, current) ? targetOf(current, now) : undefined
  }

  return {
    definitions,
    ids,
    sentAs,
    resolve,
    nameOf(called) {
      const names = [...promptedFrom.visible.map((tool) => tool.name), ...offered.tools.keys()]
      return resolveCalledName(called, offered.hasSearch ? [...names, FIND_TOOLS] : names)
    },
    unknown(name, now) {
      const names = definitions.map((one) => one.name).filter((one) => resolve(one, now))
      const canSearch = names.includes(FIND_TOOLS)
      // The prompt lists this tool, so its existence is no secret.
      const isDeferred = prompt.tools.some(
        ({ id, form }) => form === 'deferred' && known.get(id)?.name === name && findById(id, now),
      )
      if (!canSearch || !isDeferred) return unknownTool(name, names, canSearch)
      return `ERROR: '${name}' is there, but it is not loaded: call ${FIND_TOOLS} with its name first`
    },
    async search(args, now) {
      const searchable = prompt.tools.flatMap(({ id, form }) => {
        const tool = known.get(id)
        return tool && findById(id, now) ? [{ tool, form }] : []
      })
      return await search(args, searchable)
    },
  }
}

function recordOfferedTools(
  { tools }: Prompt,
  known: ReadonlyMap<string, CatalogueTool>,
  offered: OfferState,
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

export function targetOf({ id, aliasOf }: CatalogueTool, { catalogue }: AvailableTools): Target | undefined {
  const tool = catalogue.handler(id)
  const grantId = aliasOf.at(-1) ?? id
  const isOther = (other: CatalogueTool): boolean =>
    other.yields === true && other.id.toLowerCase() === grantId.toLowerCase()
  return tool && { kind: 'tool', id, tool, grantId, sharedId: catalogue.tools.find(isOther)?.id ?? grantId }
}

/** Detects a tool that its server changed after an approval. */
const sameDefinition = (a: CatalogueTool, b: CatalogueTool): boolean =>
  a === b || fingerprint(a) === fingerprint(b)

const fingerprint = ({ name, description, schema }: CatalogueTool): string =>
  JSON.stringify([name, description, schema])

/** If there are more names, only the nearest names are listed. */
const MAX_NAMES = 40
const MAX_NEAREST_NAMES = 10

/** Returns the same text for unknown and hidden tools: a model must not learn which tools are hidden. */
export function unknownTool(name: string, names: readonly string[], canSearch: boolean): string {
  const quoted = (some: readonly string[]): string => some.map((one) => `'${one}'`).join(', ')
  const start = `${UNKNOWN_TOOL}'${name}', however we only have these tools: `
  if (names.length <= MAX_NAMES) return `${start}${quoted(names)}`
  const hint = canSearch ? `; ${FIND_TOOLS} finds them by what they do` : ''
  return `${start}${quoted(nearestNames(name, names))} and ${names.length - MAX_NEAREST_NAMES} more${hint}`
}

/** Sorts names by shared words, then by similar spelling. */
function nearestNames(name: string, names: readonly string[]): readonly string[] {
  const wanted = new Set(searchWords(name))
  const shared = new Map(
    names.map((one) => [one, new Set(searchWords(one).filter((word) => wanted.has(word))).size]),
  )
  return nearestFirst(name, names)
    .toSorted((a, b) => (shared.get(b) ?? 0) - (shared.get(a) ?? 0))
    .slice(0, MAX_NEAREST_NAMES)
}
