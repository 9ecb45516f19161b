import { type Draft, draftOf } from './edit-commands.ts'

const MAX_LINES_REMEMBERED = 200
/** In UTF-16 units; the newest line is kept in any case. */
const MAX_UNITS_REMEMBERED = 131_072

export function remember(sent: readonly string[], line: string): readonly string[] {
  let units = line.length
  let from = sent.length
  while (from > 0 && sent.length - from < MAX_LINES_REMEMBERED - 1) {
    units += sent[from - 1]?.length ?? 0
    if (units > MAX_UNITS_REMEMBERED) break
    from--
  }
  return [...sent.slice(from), line]
}

export interface Search {
  readonly query: string
  /** Index of the line that was found; the number of lines if none was. */
  readonly at: number
  readonly isFound: boolean
  readonly before: Draft
}

/** In UTF-16 units. */
const MAX_QUERY_UNITS = 100
/** In UTF-16 units of a line: a key that is held down must not keep the thread. */
const MAX_LOOKED_UNITS = 200

export const beginSearch = (sent: readonly string[], before: Draft): Search => ({
  query: '',
  at: sent.length,
  isFound: true,
  before,
})

export function searchOn(search: Search, sent: readonly string[], way: 'older' | 'newer'): Search {
  if (search.query === '') return search
  return found(search, indexOf(search.query, sent, way === 'older' ? search.at - 1 : search.at + 1, way))
}

export function searchMore(search: Search, sent: readonly string[], typed: string): Search {
  const query = (search.query + typed.replaceAll('\n', ' ')).slice(0, MAX_QUERY_UNITS).toWellFormed()
  // What is not there will not be there with more letters.
  const at = search.isFound ? indexOf(query, sent, search.at, 'older') : undefined
  return found({ ...search, query }, at)
}

export function searchLess(search: Search, sent: readonly string[]): Search {
  const query = Array.from(search.query).slice(0, -1).join('')
  if (query === '') return { ...beginSearch(sent, search.before) }
  return found({ ...search, query, at: sent.length }, indexOf(query, sent, sent.length, 'older'))
}

const found = (search: Search, at: number | undefined): Search =>
  at === undefined ? { ...search, isFound: false } : { ...search, at, isFound: true }

function indexOf(
  query: string,
  sent: readonly string[],
  from: number,
  way: 'older' | 'newer',
): number | undefined {
  const step = way === 'older' ? -1 : 1
  for (let at = Math.min(from, way === 'older' ? sent.length - 1 : from); at in sent; at += step)
    if (hasQuery(sent[at], query)) return at
  return undefined
}

const hasQuery = (line: string | undefined, query: string): boolean =>
  line?.slice(0, MAX_LOOKED_UNITS).includes(query) === true

export function shownSearch({ query, at, isFound, before }: Search, sent: readonly string[]): Draft {
  const line = sent[at]
  const what = isFound ? 'search' : hasQuery(line, query) ? 'no other line has' : 'no line has'
  return { ...(line === undefined ? before : draftOf(line)), prompt: `${what} "${query}": ` }
}
