import type { JsonObject } from '../lib/json.ts'
import { zip } from '../lib/zip.ts'
import { definitionOf, lineOf } from '../prompt/definitions.ts'
import { findTools } from '../prompt/find-tools.ts'
import type { CatalogueTool } from '../prompt/snapshot.ts'
import { failed, ok, type ToolResult } from '../tools/result.ts'

/** What a search needs beside the tools. */
export interface SearchParts {
  /** Tokens that the tools which it finds may have. */
  readonly room: () => number
  /** Takes the tools that a search has found, and that fit, in the order of the search. */
  readonly found: (ids: readonly string[]) => void
  /** Tokens of these tools in short, as the model's provider counts them, with their lines. Rejects with `WrapError`. */
  readonly weigh: (tools: readonly CatalogueTool[]) => Promise<readonly number[]>
}

/** Answers the calls of `find_tools` of one step, which look through these tools. */
export type SearchTools = (args: JsonObject, tools: readonly CatalogueTool[]) => Promise<ToolResult>

/** What is found is weighed before it is promised: all of it fits into the next prompt together. Rejects as `weigh` does. */
export function createSearch({ room: roomNow, found, weigh }: SearchParts): SearchTools {
  /** What this step has found so far, with its tokens. */
  const foundNow = new Map<string, number>()
  return async ({ query }, tools) => {
    if (typeof query !== 'string' || query.trim() === '') return failed('find_tools: query must be a text')
    const matching = findTools(query, tools)
    if (matching.length === 0) return ok(`No tool matches ${JSON.stringify(query)}; try other words.`)
    const weighed = zip(matching, await weigh(matching)).map(([tool, tokens]) => ({ tool, tokens }))
    const room = roomNow()
    const isKnown = ({ tool }: Weighed): boolean => foundNow.has(tool.id)
    const left = room - [...foundNow.values()].reduce((sum, tokens) => sum + tokens, 0)
    const fitting = thoseThatFit(weighed, left, isKnown)
    for (const { tool, tokens } of fitting) foundNow.set(tool.id, tokens)
    found(fitting.map(({ tool }) => tool.id))
    return ok(searchText(weighed, fitting, room))
  }
}

/** A tool that a search found, and its tokens in short. */
interface Weighed {
  readonly tool: CatalogueTool
  readonly tokens: number
}

/** The best ones that have so many tokens together, and those that have their place; what does not fit leaves its to the next one. */
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

function searchText(matching: readonly Weighed[], fitting: readonly Weighed[], room: number): string {
  const others = matching.filter((one) => !fitting.includes(one))
  const tooLarge = others.filter(({ tokens }) => tokens > room)
  const later = others.filter(({ tokens }) => tokens <= room).map(({ tool }) => tool.name)
  return [
    ...(fitting.length > 0 ? ['You can call these from the next step on:'] : []),
    ...fitting.map(({ tool }) => lineOf(tool, 'full').trimEnd()),
    ...tooLarge.map(
      ({ tool, tokens }) =>
        `${tool.name} is too large for you: it needs ${tokens} tokens, ${room} are there for tools that you find.`,
    ),
    ...(later.length > 0
      ? [
          `These match too, but there is no room for all at once; ask for one by its name: ${later.join(', ')}`,
        ]
      : []),
  ].join('\n')
}

/** A tool as `weigh` counts it: its short definition, and its line. */
export const weighedTexts = (tool: CatalogueTool): readonly [definition: string, line: string] => [
  JSON.stringify(definitionOf(tool, 'short')),
  lineOf(tool, 'short'),
]
