import type { JsonObject, Json } from '../../base/json.ts'
import { headOf } from '../../base/text/characters.ts'
import { zip } from '../../base/basics.ts'
import { definitionOf, lineOf } from '../scope/tool-definitions.ts'
import type { ToolForm } from '../prompt.ts'
import type { CatalogueTool } from '../snapshot.ts'
import { failed, ok, type ToolResult } from '../../tools/results/index.ts'
import type { FindTools } from './tool-index.ts'

/** `form` is the tool's form in the prompt. */
interface Searchable {
  readonly tool: CatalogueTool
  readonly form: ToolForm
}

/** `form` is the tool's form in the next steps. */
export interface FoundTool {
  readonly tool: CatalogueTool
  readonly form: 'full' | 'short'
  /** True if the model has the tool already. */
  readonly isLoaded: boolean
}

export interface SearchDependencies {
  /** Returns the tokens that are available for found tools. */
  readonly space: () => number
  /** Called with the found tools that fit, best first. */
  readonly found: (tools: readonly FoundTool[]) => void
  /** Counts the provider's tokens of `weighedTexts`. Rejects with `WrapError`. */
  readonly weigh: (tools: readonly Omit<FoundTool, 'isLoaded'>[]) => Promise<readonly number[]>
}

/** Creates the `find_tools` of one step, whose tools all fit into the next prompt. Rejects as `weigh`. */
export function createSearch({ space: spaceNow, found, weigh }: SearchDependencies, find: FindTools) {
  /** Tokens of the tools found in this step, by id. */
  const foundNow = new Map<string, number>()
  return async ({ query }: JsonObject, tools: readonly Searchable[]): Promise<ToolResult> => {
    if (!isQuery(query)) return failed(NO_QUERY)
    const matching = await findMatches(query, tools, find)
    if (matching.length === 0) return ok(noMatch(query))
    const weighed = zip(matching, await weigh(matching)).map(([one, tokens]) => ({ ...one, tokens }))
    const space = spaceNow()
    let left = space - [...foundNow.values()].reduce((sum, tokens) => sum + tokens, 0)
    // Skips a tool that does not fit, so that the next tool may.
    const fitting = weighed.filter(({ tool, tokens }) => {
      if (foundNow.has(tool.id)) return true
      if (tokens > left) return false
      left -= tokens
      return true
    })
    for (const { tool, tokens } of fitting) foundNow.set(tool.id, tokens)
    found(fitting)
    return ok(formatResults(weighed, fitting, space))
  }
}

const MAX_FOUND = 8

/** Returns the best matches that the model lacks, then those of the best that the model has already. */
async function findMatches(
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

interface WeighedTool extends FoundTool {
  readonly tokens: number
}

function formatResults(
  matching: readonly WeighedTool[],
  fitting: readonly WeighedTool[],
  space: number,
): string {
  const loaded = matching.filter(({ isLoaded }) => isLoaded)
  const fresh = fitting.filter(({ isLoaded }) => !isLoaded)
  const others = matching.filter((one) => !one.isLoaded && !fitting.includes(one))
  const later = others.filter(({ tokens }) => tokens <= space).map(({ tool }) => tool.name)
  return [
    ...section('You have these already:', loaded),
    ...section('You can call these from the next step on:', fresh),
    ...others
      .filter(({ tokens }) => tokens > space)
      .map(
        ({ tool: { name }, tokens }) =>
          `${name} is too large for you: it needs ${tokens} tokens, and ${space} are left for tools that you find.`,
      ),
    ...(later.length > 0 ? [`${LATER}: ${later.join(', ')}`] : []),
  ].join('\n')
}

const LATER = 'These match too, but there is no room for all at once; ask for one by its name'

const section = (heading: string, tools: readonly WeighedTool[]): readonly string[] =>
  tools.length === 0 ? [] : [heading, ...tools.map(({ tool }) => lineOf(tool, 'full').trimEnd())]

export const weighedTexts = ({ tool, form }: Omit<FoundTool, 'isLoaded'>): readonly [string, string] => [
  JSON.stringify(definitionOf(tool, form)),
  lineOf(tool, form),
]

export const isQuery = (query: Json | undefined): query is string =>
  typeof query === 'string' && query.trim() !== ''

export const NO_QUERY = 'find_tools: query must be a text'

const MAX_QUOTED_CHARACTERS = 100

export function noMatch(query: string): string {
  const head = headOf(query, MAX_QUOTED_CHARACTERS)
  return `No tool matches ${JSON.stringify(head === query ? query : `${head}…`)}; try other words.`
}
