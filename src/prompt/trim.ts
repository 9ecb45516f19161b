import { fnv1a } from '../lib/hash.ts'
import { characterAt, characterEnd, headOf } from '../lib/text/characters.ts'
import { OMISSION } from './history.ts'
import { countEntries, createEntryText, type EntryText, joinEntries } from './entry-texts.ts'
import type { Layer } from './layers.ts'
import type { TokenCounter } from './ports.ts'

/** What is left of a layer, and a note for people. */
export interface TrimmedText {
  readonly text: string
  readonly note: string
  /** Tokens of the text, where they are known. */
  readonly tokens?: number
}

/** The layer's whole text. */
export const fullText = (layer: Pick<Layer, 'heading' | 'text'>): string =>
  layer.heading === '' ? layer.text : `${layer.heading}\n${layer.text}`

/**
 * As much of a layer as fits in `tokens` by the layer's own rule, or undefined where nothing worth sending does.
 * The result never counts more than `tokens`.
 */
export function trimLayer(layer: Layer, tokens: number, counter: TokenCounter): TrimmedText | undefined {
  if (layer.trim === 'none' || tokens <= 0) return undefined
  if (layer.trim === 'oldest') return keepNewest(layer, tokens, counter)
  return keepEnd(fullText(layer), layer.trim, tokens, counter)
}

function keepEnd(
  text: string,
  end: 'head' | 'tail',
  tokens: number,
  counter: TokenCounter,
): TrimmedText | undefined {
  const all = counter.count(text)
  for (let free = tokens - counter.count(leftOut(all)) - 1; free > 0; free -= 1) {
    const kept = wholeCharacters(text, end, counter, free)
    if (kept === '') return undefined
    const keptTokens = counter.count(kept)
    const mark = leftOut(Math.max(1, all - keptTokens))
    const whole = end === 'head' ? `${kept}\n${mark}` : `${mark}\n${kept}`
    if (counter.count(whole) <= tokens)
      return { text: whole, note: `its ${end} kept, ${keptTokens} of ${all} tokens` }
  }
  return undefined
}

/** What the counter keeps may begin or end inside a character of several code points: such a one is left out. */
function wholeCharacters(text: string, end: 'head' | 'tail', counter: TokenCounter, tokens: number): string {
  if (end === 'head') return headOf(text, counter.head(text, tokens).length)
  const from = text.length - counter.tail(text, tokens).length
  const whole = characterAt(text, from)
  return whole === from ? text.slice(from) : text.slice(characterEnd(text, from))
}

const leftOut = (tokens: number): string => `… [${tokens} tokens left out]`

/** Entries begin at the margin; their later lines are indented. */
const ENTRY_BOUNDARY = /\n(?=[^\s])/u

function keepNewest(layer: Layer, tokens: number, counter: TokenCounter): TrimmedText | undefined {
  const entries = layer.entries ?? textsIn(layer.text, counter)
  const head = fullText({ heading: layer.heading, text: OMISSION })
  const space = tokens - counter.count(`${head}\n`)
  const fitting = newestThatFit(entries, space)
  const withCut = withCutEntry(entries, fitting, { head, space, tokens, counter })
  if (withCut) return withCut
  for (let start = steadyStart(fitting); start < fitting.length; start += 1) {
    const kept = fitting.slice(start)
    const counted = countEntries(head, kept, counter)
    if (counted > tokens) continue
    const note = `the newest ${kept.length} of ${entries.length} entries`
    return { text: joinEntries(head, kept), note, tokens: counted }
  }
  return cutNewest(entries.at(-1)?.text ?? '', head, tokens, counter)
}

const textsIn = (text: string, counter: TokenCounter): readonly EntryText[] =>
  text.split(ENTRY_BOUNDARY).map((entry) => createEntryText(entry, counter))

/** The newest entries that fit, oldest first. The entries before them are not even counted. */
function newestThatFit(entries: readonly EntryText[], tokens: number): readonly EntryText[] {
  let left = tokens
  const before = entries.findLastIndex((entry) => (left -= entry.tokens()) < 0)
  return entries.slice(before + 1)
}

/** Share of the entries' tokens that may be given up so that the text begins at the same entry for several turns. */
const MAX_SHARE_GIVEN_UP = 0.25
/** On average the text may begin at one entry in so many. */
const ENTRIES_PER_START = 8

/**
 * Index of the entry at which the text begins. What an entry says decides whether it can be a beginning: so the
 * text goes on beginning there while the conversation grows, until that entry no longer fits. 0 if the first possible
 * beginning is too far on.
 */
function steadyStart(entries: readonly EntryText[]): number {
  const most = MAX_SHARE_GIVEN_UP * entries.reduce((sum, entry) => sum + entry.tokens(), 0)
  let givenUp = 0
  for (const [index, entry] of entries.entries()) {
    if (givenUp > most) break
    if (fnv1a(entry.text) % ENTRIES_PER_START === 0) return index
    givenUp += entry.tokens()
  }
  return 0
}

/**
 * The entries that fit, after the beginning of the one before them: only where that is so long that much would stay free
 * without it. Undefined where it is not.
 */
function withCutEntry(
  entries: readonly EntryText[],
  fitting: readonly EntryText[],
  { head, space, tokens, counter }: CutTerms,
): TrimmedText | undefined {
  const before = entries[entries.length - fitting.length - 1]
  const free = space - fitting.reduce((sum, entry) => sum + entry.tokens(), 0)
  if (!before || fitting.length === 0 || free <= MAX_SHARE_GIVEN_UP * tokens) return undefined
  const cut = keepEnd(before.text, 'head', free - SEAM_TOKENS, counter)
  if (!cut) return undefined
  const kept = [createEntryText(cut.text, counter), ...fitting]
  const counted = countEntries(head, kept, counter)
  if (counted > tokens) return undefined
  const note = `the newest ${fitting.length} of ${entries.length} entries, and of the one before ${cut.note}`
  return { text: joinEntries(head, kept), note, tokens: counted }
}

/** Tokens by which texts that meet may differ from the sum of both. */
const SEAM_TOKENS = 4

interface CutTerms {
  readonly head: string
  /** What entries may have of `tokens`, which is for all. */
  readonly space: number
  readonly tokens: number
  readonly counter: TokenCounter
}

function cutNewest(
  entry: string,
  head: string,
  tokens: number,
  counter: TokenCounter,
): TrimmedText | undefined {
  const cut = keepEnd(entry, 'head', tokens - counter.count(`${head}\n`) - 1, counter)
  return cut && { text: `${head}\n${cut.text}`, note: `only the newest entry, ${cut.note}` }
}
