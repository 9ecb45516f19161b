import MiniSearch from 'minisearch'
import { isJsonObject } from '../lib/json.ts'
import type { CatalogueTool } from '../prompt/snapshot.ts'

/** Finds those of these tools that match a query, best first; the same query and tools give the same. */
export type FindTools = (query: string, among: readonly CatalogueTool[]) => Promise<readonly CatalogueTool[]>

/** Characters of a query and of a description, and words of a query, that are looked at. */
const MAX_QUERY_CHARACTERS = 1000
const MAX_DESCRIPTION_CHARACTERS = 1000
const MAX_QUERY_WORDS = 50

/** Lists of tools whose index is kept: rooms differ in their scopes. */
const MAX_KEPT = 4

/**
 * The search through the tools of one catalogue, in which no two have one id. Only those that are asked for
 * are indexed: what is hidden changes no order. One that the query calls by its name comes first. Then BM25
 * decides, where a word counts more in a name than in a description; the beginning of a word and a slip in it
 * count less than the word. Equal ones stay in the order given.
 */
export function createToolIndex(): FindTools {
  const known = new Map<string, Promise<Index>>()

  function indexOf(tools: readonly CatalogueTool[]): Promise<Index> {
    const key = tools.map(({ id }) => id).join('\n')
    const index = known.get(key) ?? build(tools)
    known.delete(key)
    known.set(key, index)
    const oldest = known.size > MAX_KEPT ? known.keys().next().value : undefined
    if (oldest !== undefined) known.delete(oldest)
    return index
  }

  return async (query, among) => {
    const wanted = query.slice(0, MAX_QUERY_CHARACTERS)
    const index = await indexOf(among)
    const scores = scoresFor(wanted, index)
    const names = namesIn(wanted)
    const isNamed = ({ name, id }: CatalogueTool): boolean =>
      names.has(name.toLowerCase()) || names.has(id.toLowerCase())
    return among
      .map((tool, at) => ({ tool, score: scores.get(at) ?? 0, named: isNamed(tool) }))
      .filter(({ named, score }) => named || score > 0)
      .toSorted((a, b) => Number(b.named) - Number(a.named) || b.score - a.score)
      .map(({ tool }) => tool)
  }
}

type Index = MiniSearch<Document>

/** What is indexed of a tool; its id is its place in the list. */
interface Document {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly parameters: string
}

/** Tools that are indexed before other work of the server goes on. */
const TOOLS_AT_ONCE = 5

async function build(tools: readonly CatalogueTool[]): Promise<Index> {
  const index = new MiniSearch<Document>({
    fields: ['name', 'description', 'parameters'],
    tokenize: (text) => [...searchWords(text)],
    processTerm: (word) => word,
  })
  await index.addAllAsync(tools.map(documentOf), { chunkSize: TOOLS_AT_ONCE })
  return index
}

const documentOf = (
  { id: toolId, name, title, description, schema }: CatalogueTool,
  id: number,
): Document => {
  const { properties } = schema
  return {
    id,
    name: [...new Set([toolId, name, title])].join(' '),
    description: description.slice(0, MAX_DESCRIPTION_CHARACTERS),
    parameters: isJsonObject(properties) ? Object.keys(properties).join(' ') : '',
  }
}

/** A tool with less than this share of the best one's score only has words that most tools have. */
const MIN_SHARE_OF_BEST = 0.05

/** Letters from which on the beginning of a word is looked for, and a slip in it may be. */
const MIN_PREFIX = 3
const MIN_FUZZY = 4
/** Slips for each letter: one in a word of four to seven letters, two in one of eight to twelve. */
const SLIPS = 0.2

function scoresFor(query: string, index: Index): ReadonlyMap<number, number> {
  const words = [...new Set(searchWords(query))].slice(0, MAX_QUERY_WORDS)
  const results = index.search(words.join(' '), {
    tokenize: (text) => text.split(' ').filter((word) => word !== ''),
    boost: { name: 3, parameters: 0.5 },
    prefix: (word) => word.length >= MIN_PREFIX,
    fuzzy: (word) => (word.length >= MIN_FUZZY && !/\p{N}/u.test(word) ? SLIPS : false),
  })
  const best = Math.max(0, ...results.map(({ score }) => score))
  return new Map(
    results
      .filter(({ score }) => score >= best * MIN_SHARE_OF_BEST)
      .map(({ id, score }) => [Number(id), score]),
  )
}

const NO_PART_OF_NAMES = /[^\p{L}\p{N}_.-]+/u

/** What of a query may be the name of a tool: all of it, and each of its words that is no common one. */
const namesIn = (query: string): ReadonlySet<string> => {
  const wanted = query.toLowerCase()
  return new Set([wanted.trim(), ...wanted.split(NO_PART_OF_NAMES).filter(isNoCommonWord)])
}

/** `search` in a query may be the name of a tool, or not; `read_file` is. */
const isNoCommonWord = (word: string): boolean => /[^\p{L}]/u.test(word)

/**
 * The words of a text by which tools are found, in lower case: `readFile`, `read_file` and `read-file` are
 * `read` and `file`, and `srv7` is also `srv` and `7`. Numbers have no zeros before them. Words that stand in
 * every sentence are left out.
 */
export const searchWords = (text: string): readonly string[] =>
  [...text.normalize('NFKC').matchAll(RUN)]
    .flatMap(([run]) => (WITHOUT_BLANKS.test(run) ? pairsOf(run) : partsOf(run)))
    .filter((word) => !COMMON.has(word))

const RUN = /[\p{L}\p{M}\p{N}]+/gu

/** Scripts that part no words. */
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

/** Each two neighbours: where words are not parted, these come near to them. */
function pairsOf(run: string): readonly string[] {
  const characters = Array.from(run.toLowerCase())
  if (characters.length < 2) return characters
  return characters.slice(1).map((second, index) => `${characters[index] ?? ''}${second}`)
}

/**
 * A change from small letters to a capital, the last capital before small ones (`HTTPServer`), and where
 * digits begin or end.
 */
const BORDER =
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{N})(?=\p{L})|(?<=\p{L}\p{M}*)(?=\p{N})/u

function partsOf(run: string): readonly string[] {
  const parts = run.split(BORDER).map(plain)
  return parts.length === 1 ? parts : [...parts, plain(run)]
}

const plain = (word: string): string => word.toLowerCase().replace(/^0+(?=\p{N})/u, '')

/** They tell nothing of a tool. */
const COMMON: ReadonlySet<string> = new Set(
  `a all an and any are as at be by can do does for from give gives had has have how i if in into is it its me my of on or our
  please should so some than that the their them then there these they this to us use used uses using want was we what when
  where which who will with would you your`.split(/\s+/u),
)
