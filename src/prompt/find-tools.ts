import type { ToolDefinition } from './prompt.ts'
import type { CatalogueTool } from './snapshot.ts'

/** The function that is offered in place of definitions that do not fit into the budget. */
export const findToolsDefinition: ToolDefinition = {
  name: 'find_tools',
  description:
    'Find functions by what they do. Returns the matching functions with their parameters; they can be called from the next step on.',
  parameters: {
    type: 'object',
    properties: { query: { type: 'string', description: 'A few words, or the name of a function' } },
    required: ['query'],
    additionalProperties: false,
  },
}

/** Characters of a query and of a description that are looked at. */
const MAX_QUERY_CHARACTERS = 1000
const MAX_DESCRIPTION_CHARACTERS = 4000

/**
 * The tools that match a query, best first, at most `limit`. A name counts more than a description, and an exact
 * name most. Equal ones stay in the order given.
 */
export function findTools(
  query: string,
  tools: readonly CatalogueTool[],
  limit = 8,
): readonly CatalogueTool[] {
  const words = wordsOf(query.slice(0, MAX_QUERY_CHARACTERS))
  const wanted = query.trim().toLowerCase()
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, words, wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ tool }) => tool)
}

function scoreOf(tool: CatalogueTool, words: readonly string[], wanted: string): number {
  if (tool.name.toLowerCase() === wanted || tool.id.toLowerCase() === wanted) return Number.MAX_SAFE_INTEGER
  const name = `${tool.id} ${tool.name} ${tool.title}`.toLowerCase()
  const description = tool.description.slice(0, MAX_DESCRIPTION_CHARACTERS).toLowerCase()
  return words.reduce(
    (sum, word) => sum + (name.includes(word) ? 5 : 0) + (description.includes(word) ? 1 : 0),
    0,
  )
}

const wordsOf = (query: string): readonly string[] => [
  ...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []),
]
