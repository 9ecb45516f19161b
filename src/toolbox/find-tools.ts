import type { JsonObject, Json } from '../lib/json.ts'
import { zip } from '../lib/zip.ts'
import { definitionOf, lineOf } from '../prompt/tool-definitions.ts'
import type { ToolForm } from '../prompt/prompt.ts'
import type { CatalogueTool } from '../prompt/snapshot.ts'
import { failed, ok, type ToolResult } from '../tools/result.ts'
import type { FindTools } from './tool-index.ts'
import { headOf } from '../lib/text/characters.ts'

/** A tool that can be found: in full or short where the model has it already. */
export interface Searchable {
  readonly tool: CatalogueTool
  readonly form: ToolForm
}

/** A tool that a search has found, as the model has it in its next steps. */
export interface FoundTool {
  readonly tool: CatalogueTool
  readonly form: 'full' | 'short'
  /** True if the model has it already. */
  readonly isLoaded: boolean
}

/** What a search needs beside the tools. */
export interface SearchParts {
  /** Tokens that the tools which it finds may have. */
  readonly space: () => number
  /** Takes the tools that a search has found, and that fit, in the order of the search. */
  readonly found: (tools: readonly FoundTool[]) => void
  /**
   * Tokens of these tools, as the model's provider counts them, with their lines. Rejects with `WrapError`.
   */
  readonly weigh: (tools: readonly Omit<FoundTool, 'isLoaded'>[]) => Promise<readonly number[]>
}

/** Answers the calls of `find_tools` of one step, which look through these tools. */
export type SearchTools = (args: JsonObject, tools: readonly Searchable[]) => Promise<ToolResult>

/**
 * What the model has already is named, and keeps its rung. What it has not is weighed before it is promised:
 * all of it fits into the next prompt together. Rejects as `weigh` does.
 */
export function createSearch({ space: spaceNow, found, weigh }: SearchParts, find: FindTools): SearchTools {
  /** What this step has found so far, with its tokens. */
  const foundNow = new Map<string, number>()
  return async ({ query }, tools) => {
    if (!isQuery(query)) return failed(NO_QUERY)
    const matching = await matchesIn(query, tools, find)
    if (matching.length === 0) return ok(noMatch(query))
    const weighed = zip(matching, await weigh(matching)).map(([one, tokens]) => ({ ...one, tokens }))
    const space = spaceNow()
    const isKnown = ({ tool }: Weighed): boolean => foundNow.has(tool.id)
    const left = space - [...foundNow.values()].reduce((sum, tokens) => sum + tokens, 0)
    const fitting = thoseThatFit(weighed, left, isKnown)
    for (const { tool, tokens } of fitting) foundNow.set(tool.id, tokens)
    found(fitting)
    return ok(searchText(weighed, fitting, space))
  }
}

/** Tools that one search loads. */
const MAX_FOUND = 8

/**
 * The best matches that the model does not have, and after them those that it has, where they are among the
 * best of all.
 */
async function matchesIn(
  query: string,
  tools: readonly Searchable[],
  find: FindTools,
): Promise<readonly FoundTool[]> {
  const forms = new Map(tools.map(({ tool, form }) => [tool, form]))
  const all = (await find(query, [...forms.keys()])).map((tool): FoundTool => {
    const form = forms.get(tool)
    return { tool, form: form === 'full' ? 'full' : 'short', isLoaded: form === 'full' || form === 'short' }
  })
  const loaded = all.slice(0, MAX_FOUND).filter(({ isLoaded }) => isLoaded)
  return [...all.filter(({ isLoaded }) => !isLoaded).slice(0, MAX_FOUND), ...loaded]
}

/** A tool that a search found, and its tokens. */
interface Weighed extends FoundTool {
  readonly tokens: number
}

/**
 * The best ones that have so many tokens together, and those that have their place; what does not fit leaves
 * its to the next one.
 */
function thoseThatFit(
  weighed: readonly Weighed[],
  tokens: number,
  hasPlace: (one: Weighed) => boolean,
): readonly Weighed[] {
  let left = tokens
  return weighed.filter((one) => {
    if (hasPlace(one)) return true
    if (one.tokens > left) return false
    left -= one.tokens
    return true
  })
}

function searchText(matching: readonly Weighed[], fitting: readonly Weighed[], space: number): string {
  const loaded = matching.filter(({ isLoaded }) => isLoaded)
  const fresh = fitting.filter(({ isLoaded }) => !isLoaded)
  const others = matching.filter((one) => !one.isLoaded && !fitting.includes(one))
  const tooLarge = others.filter(({ tokens }) => tokens > space)
  const later = others.filter(({ tokens }) => tokens <= space).map(({ tool }) => tool.name)
  return [
    ...listed('You have these already:', loaded),
    ...listed('You can call these from the next step on:', fresh),
    ...tooLarge.map(
      ({ tool, tokens }) =>
        `${tool.name} is too large for you: it needs ${tokens} tokens, ${space} are there for tools that you find.`,
    ),
    ...(later.length > 0
      ? [
          `These match too, but there is no room for all at once; ask for one by its name: ${later.join(', ')}`,
        ]
      : []),
  ].join('\n')
}

const listed = (heading: string, tools: readonly Weighed[]): readonly string[] =>
  tools.length === 0 ? [] : [heading, ...tools.map(({ tool }) => lineOf(tool, 'full').trimEnd())]

/** A tool as `weigh` counts it: its definition, and its line. */
export const weighedTexts = ({
  tool,
  form,
}: Omit<FoundTool, 'isLoaded'>): readonly [definition: string, line: string] => [
  JSON.stringify(definitionOf(tool, form)),
  lineOf(tool, form),
]

/** What `find_tools` was asked for. */
export const isQuery = (query: Json | undefined): query is string =>
  typeof query === 'string' && query.trim() !== ''

/** The answer to a search for nothing. */
export const NO_QUERY = 'find_tools: query must be a text'

/** Characters of a query that an answer repeats. */
const MAX_QUOTED_CHARACTERS = 100

/** A query in an answer, cut where it is long. */
export const quoted = (query: string): string =>
  JSON.stringify(query.length > MAX_QUOTED_CHARACTERS ? `${headOf(query, MAX_QUOTED_CHARACTERS)}…` : query)

/** The answer to a search that found nothing. */
export const noMatch = (query: string): string => `No tool matches ${quoted(query)}; try other words.`
