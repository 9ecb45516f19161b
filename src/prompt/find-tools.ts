import type { ToolDefinition } from './prompt.ts'
import type { CatalogueTool } from './snapshot.ts'

/** The function that takes the place of definitions which the budget has no room for. */
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

/**
 * The tools that fit a query, best first, at most `limit`: a name counts more than a description, an exact
 * name most. Ties stay in the order given; a query that fits nothing finds nothing.
 */
export function findTools(
  query: string,
  tools: readonly CatalogueTool[],
  limit = 8,
): readonly CatalogueTool[] {
  const words = wordsOf(query.slice(0, 1000))
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
  const description = tool.description.slice(0, 4000).toLowerCase()
  return words.reduce(
    (sum, word) => sum + (name.includes(word) ? 5 : 0) + (description.includes(word) ? 1 : 0),
    0,
  )
}

const wordsOf = (query: string): readonly string[] => [
  ...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []),
]
