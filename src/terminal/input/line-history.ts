import { type Draft, draftOf, newestOf } from './edit-commands.ts'

const MAX_LINES_REMEMBERED = 200
const MAX_UNITS_REMEMBERED = 131_072

export const remember = (past: readonly string[], line: string): readonly string[] =>
  newestOf([...past, line], MAX_LINES_REMEMBERED, MAX_UNITS_REMEMBERED, (one) => one)

export interface Search {
  readonly query: string
  /** Index of the line that was found; the number of lines if none was. */
  readonly at: number
  readonly isFound: boolean
  readonly before: Draft
}

const MAX_QUERY_UNITS = 100
/** UTF-16 units of a line that are searched: a held-down key must not block the event loop. */
const MAX_SEARCHED_UNITS = 200

export const beginSearch = (past: readonly string[], before: Draft): Search => ({
  query: '',
  at: past.length,
  isFound: true,
  before,
})

export function findNext(search: Search, past: readonly string[], way: 'older' | 'newer'): Search {
  if (search.query === '') return search
  return withMatch(search, indexOf(search.query, past, way === 'older' ? search.at - 1 : search.at + 1, way))
}

export function extendQuery(search: Search, past: readonly string[], typed: string): Search {
  const query = (search.query + typed.replaceAll('\n', ' ')).slice(0, MAX_QUERY_UNITS).toWellFormed()
  // A longer query cannot match if the shorter query did not.
  const at = search.isFound ? indexOf(query, past, search.at, 'older') : undefined
  return withMatch({ ...search, query }, at)
}

export function shortenQuery(search: Search, past: readonly string[]): Search {
  const query = Array.from(search.query).slice(0, -1).join('')
  if (query === '') return { ...beginSearch(past, search.before) }
  return withMatch({ ...search, query, at: past.length }, indexOf(query, past, past.length, 'older'))
}

const withMatch = (search: Search, at: number | undefined): Search =>
  at === undefined ? { ...search, isFound: false } : { ...search, at, isFound: true }

function indexOf(
  query: string,
  past: readonly string[],
  from: number,
  way: 'older' | 'newer',
): number | undefined {
  const at =
    way === 'older'
      ? past.slice(0, from + 1).findLastIndex((line) => hasQuery(line, query))
      : past.findIndex((line, index) => index >= from && hasQuery(line, query))
  return at < 0 ? undefined : at
}

const hasQuery = (line: string | undefined, query: string): boolean =>
  line?.slice(0, MAX_SEARCHED_UNITS).includes(query) === true

export function shownSearch({ query, at, isFound, before }: Search, past: readonly string[]): Draft {
  const line = past[at]
  const what = isFound ? 'search' : hasQuery(line, query) ? 'no other line has' : 'no line has'
  return { ...(line === undefined ? before : draftOf(line)), prompt: `${what} "${query}": ` }
}
