import { zip } from '../lib/zip.ts'
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

/** Characters of a query and of a description, and words of a query, that are looked at. */
const MAX_QUERY_CHARACTERS = 1000
const MAX_DESCRIPTION_CHARACTERS = 4000
const MAX_QUERY_WORDS = 50

/** Where one of a query's words stands in what is said of a tool, and what that counts. */
const POINTS = { nameWord: 5, namePart: 3, descriptionWord: 2, descriptionPart: 1 } as const

/** A tool with less than this share of the best one's points only has words that most tools have. */
const MIN_SHARE_OF_BEST = 0.125

/**
 * The tools that match a query, best first. One that the query calls by its name comes first. Then
 * a word counts more in a name than in a description, whole more than as a part, and the more the fewer tools have
 * it. Equal ones stay in the order given.
 */
export function findTools(query: string, tools: readonly CatalogueTool[]): readonly CatalogueTool[] {
  const wanted = query.slice(0, MAX_QUERY_CHARACTERS).toLowerCase()
  const words = wordsOf(wanted).slice(0, MAX_QUERY_WORDS)
  const names = new Set([wanted.trim(), ...wanted.split(NO_PART_OF_NAMES).filter(isNoCommonWord)])
  const points = tools.map((tool) => pointsOf(tool, words))
  const weights = words.map((_, index) => weightOf(points, index))
  const scored = zip(tools, points).map(([tool, some]) => ({
    tool,
    named: names.has(tool.name.toLowerCase()) || names.has(tool.id.toLowerCase()),
    score: zip(some, weights).reduce((sum, [one, weight]) => sum + one * weight, 0),
  }))
  const best = Math.max(0, ...scored.map(({ score }) => score))
  return scored
    .filter(({ named, score }) => named || (score > 0 && score >= best * MIN_SHARE_OF_BEST))
    .toSorted((a, b) => Number(b.named) - Number(a.named) || b.score - a.score)
    .map(({ tool }) => tool)
}

const NO_PART_OF_NAMES = /[^\p{L}\p{N}_.-]+/u

/** `search` in a query may be the name of a tool, or not; `read_file` is. */
const isNoCommonWord = (word: string): boolean => /[^\p{L}]/u.test(word)

/** What each word counts for a tool. */
function pointsOf(tool: CatalogueTool, words: readonly string[]): readonly number[] {
  const name = normal(`${tool.id} ${tool.name} ${tool.title}`)
  const description = normal(tool.description.slice(0, MAX_DESCRIPTION_CHARACTERS))
  const inName = new Set(wordsOf(name))
  let inDescription: ReadonlySet<string> | undefined
  return words.map((word) => {
    if (name.includes(word)) return inName.has(word) ? POINTS.nameWord : POINTS.namePart
    if (!description.includes(word)) return 0
    inDescription ??= new Set(wordsOf(description))
    return inDescription.has(word) ? POINTS.descriptionWord : POINTS.descriptionPart
  })
}

/** A word of which every tool speaks tells little. */
function weightOf(points: readonly (readonly number[])[], word: number): number {
  const having = points.filter((some) => (some[word] ?? 0) > 0).length
  return having === 0 ? 0 : Math.log(1 + points.length / having)
}

/** Numbers are compared without the zeros before them: `042` is 42. */
const normal = (text: string): string => text.toLowerCase().replace(/(?<![\p{L}\p{N}])0+(?=\p{N})/gu, '')

const wordsOf = (text: string): readonly string[] => [...new Set(normal(text).match(/[\p{L}\p{N}]+/gu) ?? [])]
