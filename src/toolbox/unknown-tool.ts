import { nearestFirst } from '../lib/suggest.ts'
import { findToolsDefinition } from '../prompt/tool-definitions.ts'
import { searchWords } from './search-words.ts'

/** Names that are listed. Of more of them, only the nearest ones: a list of a thousand costs more than it tells. */
const MAX_NAMES = 40
const NEAREST = 10

/** The same text for every name that cannot be used, whatever the cause: a model must not learn what is hidden. */
export function unknownTool(name: string, names: readonly string[], canSearch: boolean): string {
  const told = (some: readonly string[]): string => some.map((one) => `'${one}'`).join(', ')
  const start = `ERROR: You requested a tool called '${name}', however we only have these tools: `
  if (names.length <= MAX_NAMES) return `${start}${told(names)}`
  const hint = canSearch ? `; ${findToolsDefinition.name} finds them by what they do` : ''
  return `${start}${told(nearest(name, names))} and ${names.length - NEAREST} more${hint}`
}

/** Those that have most of its words, and of these the ones that are written most like it. */
function nearest(name: string, names: readonly string[]): readonly string[] {
  const wanted = new Set(searchWords(name))
  const shared = new Map(
    names.map((one) => [one, new Set(searchWords(one).filter((word) => wanted.has(word))).size]),
  )
  return nearestFirst(name, names)
    .toSorted((a, b) => (shared.get(b) ?? 0) - (shared.get(a) ?? 0))
    .slice(0, NEAREST)
}
