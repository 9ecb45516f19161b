import { fnv1a } from './hash.ts'
import type { DraftLayer } from './draft.ts'
import type { TokenCounter } from './ports.ts'

/** What is left of a layer, and what to tell people. */
export interface Trimmed {
  readonly text: string
  readonly note: string
}

/** The layer's whole text. */
export const fullText = (layer: Pick<DraftLayer, 'heading' | 'text'>): string =>
  layer.heading === '' ? layer.text : `${layer.heading}\n${layer.text}`

/**
 * As much of a layer as fits in `tokens` by its own rule, or undefined where nothing worth sending does.
 * The result never counts more than `tokens`.
 */
export function trimLayer(layer: DraftLayer, tokens: number, counter: TokenCounter): Trimmed | undefined {
  if (layer.trim === 'none' || tokens <= 0) return undefined
  if (layer.trim === 'oldest') return keepNewest(layer, tokens, counter)
  return keepEnd(fullText(layer), layer.trim, tokens, counter)
}

function keepEnd(
  text: string,
  end: 'head' | 'tail',
  tokens: number,
  counter: TokenCounter,
): Trimmed | undefined {
  const all = counter.count(text)
  for (let room = tokens - counter.count(marker(all)) - 1; room > 0; room -= 1) {
    const kept = end === 'head' ? counter.head(text, room) : counter.tail(text, room)
    if (kept === '') return undefined
    const missing = marker(Math.max(1, all - counter.count(kept)))
    const whole = end === 'head' ? `${kept}\n${missing}` : `${missing}\n${kept}`
    if (counter.count(whole) <= tokens)
      return { text: whole, note: `its ${end} kept, ${counter.count(kept)} of ${all} tokens` }
  }
  return undefined
}

const marker = (tokens: number): string => `… [${tokens} tokens left out]`

/** Says the same however many are missing: the beginning of the text must stay the same bytes from turn to turn. */
export const omission = '[earlier entries left out]'

/** Entries begin at the margin; their later lines are indented. */
const entryBoundary = /\n(?=[^\s])/u

/** Of the entries that would still fit, at most this share is given up so that the cut stays put for several turns. */
const slack = 0.25
/** On average every so many entries there is one at which the text may begin. */
const anchorEvery = 8

function keepNewest(layer: DraftLayer, tokens: number, counter: TokenCounter): Trimmed | undefined {
  const entries = layer.text.split(entryBoundary)
  const head = layer.heading === '' ? omission : `${layer.heading}\n${omission}`
  const room = tokens - counter.count(`${head}\n`)
  const costs = newestCosts(entries, room, counter)
  const first = entries.length - costs.length
  if (first >= entries.length) return cutNewest(entries.at(-1)!, head, tokens, counter)
  for (let start = steady(entries, costs, first); start < entries.length; start += 1) {
    const text = [head, ...entries.slice(start)].join('\n')
    if (counter.count(text) <= tokens)
      return { text, note: `the newest ${entries.length - start} of ${entries.length} entries` }
  }
  return cutNewest(entries.at(-1)!, head, tokens, counter)
}

/** What the newest entries cost, as many as fit, oldest first; those before them are not even counted. */
function newestCosts(entries: readonly string[], room: number, counter: TokenCounter): readonly number[] {
  const costs: number[] = []
  let left = room
  for (const entry of entries.toReversed()) {
    const cost = counter.count(`${entry}\n`)
    if (cost > left) break
    left -= cost
    costs.push(cost)
  }
  return costs.toReversed()
}

/**
 * The next entry from `first` on, whose costs these are, at which a text may begin, by what it says: as the conversation goes on the
 * cut stays there until that entry no longer fits. `first` itself if the next such entry is too far.
 */
function steady(entries: readonly string[], costs: readonly number[], first: number): number {
  const kept = costs.reduce((sum, cost) => sum + cost, 0)
  let given = 0
  for (let start = first; start < entries.length && given <= kept * slack; start += 1) {
    if (fnv1a(entries[start]!) % anchorEvery === 0) return start
    given += costs[start - first]!
  }
  return first
}

function cutNewest(entry: string, head: string, tokens: number, counter: TokenCounter): Trimmed | undefined {
  const cut = keepEnd(entry, 'head', tokens - counter.count(`${head}\n`) - 1, counter)
  return cut && { text: `${head}\n${cut.text}`, note: `only the newest entry, ${cut.note}` }
}
