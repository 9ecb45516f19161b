import MiniSearch from 'minisearch'
import { isJsonObject } from '../../base/json.ts'
import { memoizePer } from '../../base/basics.ts'
import type { CatalogueTool } from '../snapshot.ts'

/** Finds the tools that match a query, best first. */
export type FindTools = (query: string, among: readonly CatalogueTool[]) => Promise<readonly CatalogueTool[]>

const MAX_QUERY_CHARACTERS = 1000
const MAX_DESCRIPTION_CHARACTERS = 1000
const MAX_QUERY_WORDS = 50

/**
 * Searches one catalogue. Hidden tools are not indexed, because they would change the order. A tool that the
 * query names is first. Then BM25 decides; a word in a name counts more than in a description.
 */
export function createToolIndex(): FindTools {
  // Caches the indexes of the last few lists, because rooms differ in their scopes.
  const indexes = memoizePer<object, Promise<Index>>()
  const catalogue = {}

  return async (query, among) => {
    const wanted = query.slice(0, MAX_QUERY_CHARACTERS)
    const key = among.map(({ id }) => id).join('\n')
    const scores = scoresFor(wanted, await indexes(catalogue, key, () => build(among)))
    const names = possibleNames(wanted)
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

interface Document {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly parameters: string
}

/** The tools to index before other work of the server continues. */
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

function documentOf({ id: toolId, name, title, description, schema }: CatalogueTool, id: number): Document {
  const { properties } = schema
  return {
    id,
    name: [...new Set([toolId, name, title])].join(' '),
    description: description.slice(0, MAX_DESCRIPTION_CHARACTERS),
    parameters: isJsonObject(properties) ? Object.keys(properties).join(' ') : '',
  }
}

/** A fraction of the best score. A lower score comes from words that most tools have. */
const MIN_SHARE_OF_BEST = 0.05

/** The minimum letters of a word that may be the beginning of another word. */
const MIN_PREFIX = 3
/** The minimum letters of a word that may have wrong letters. */
const MIN_FUZZY = 4
/** Wrong letters allowed per letter: one in a word of four to seven letters. */
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

/** Returns possible tool names in a query: all of it, and words like `read_file`, but not like `search`. */
function possibleNames(query: string): ReadonlySet<string> {
  const wanted = query.toLowerCase()
  const words = wanted.split(/[^\p{L}\p{N}_.-]+/u)
  return new Set([wanted.trim(), ...words.filter((word) => /[^\p{L}]/u.test(word))])
}

/** Splits into words, without common words: `readFile` has `read`, `file`; `srv7` also `srv` and `7`. */
export const searchWords = (text: string): readonly string[] =>
  [...text.normalize('NFKC').matchAll(RUN)]
    .flatMap(([run]) => (WITHOUT_BLANKS.test(run) ? pairsOf(run) : partsOf(run)))
    .filter((word) => !COMMON.has(word))

const RUN = /[\p{L}\p{M}\p{N}]+/gu

/** Scripts without spaces between words, in which every two neighbours count as a word. */
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

function pairsOf(run: string): readonly string[] {
  const characters = Array.from(run.toLowerCase())
  if (characters.length < 2) return characters
  return characters.slice(1).map((second, index) => `${characters[index] ?? ''}${second}`)
}

/** The borders between `read` and `File`, `HTTP` and `Server`, and around digits. */
const BORDER =
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{N})(?=\p{L})|(?<=\p{L}\p{M}*)(?=\p{N})/u

function partsOf(run: string): readonly string[] {
  const parts = run.split(BORDER).map(normalized)
  return parts.length === 1 ? parts : [...parts, normalized(run)]
}

const normalized = (word: string): string => word.toLowerCase().replace(/^0+(?=\p{N})/u, '')

const COMMON: ReadonlySet<string> = new Set(
  `a all an and any are as at be by can do does for from give gives had has have how i if in into is it its me my of on or our
  please should so some than that the their them then there these they this to us use used uses using want was we what when
  where which who will with would you your`.split(/\s+/u),
)
