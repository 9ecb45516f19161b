import type { Json } from '../lib/json.ts'
import { headOf } from '../lib/text/characters.ts'

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
