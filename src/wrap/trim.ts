import { characterAt, characterEnd, headOf } from '../base/text/characters.ts'
import { OMISSION } from './history.ts'
import { countEntryTokens, createEntryText, type EntryText, joinEntries } from './entry-texts.ts'
import type { Layer } from './layers.ts'
import type { TokenCounter } from './ports.ts'
import { MAX_SHARE_GIVEN_UP, steadyStart } from './steady-start.ts'

/** `tokens` is absent if not counted. */
interface TrimmedText {
  readonly text: string
  readonly note: string
  readonly tokens?: number
}

export const fullText = (layer: Pick<Layer, 'heading' | 'text'>): string =>
  layer.heading === '' ? layer.text : `${layer.heading}\n${layer.text}`

/** Returns undefined if nothing worth sending fits. */
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

/** Drops a character of several code points if the counter cut inside it. */
function wholeCharacters(text: string, end: 'head' | 'tail', counter: TokenCounter, tokens: number): string {
  if (end === 'head') return headOf(text, counter.head(text, tokens).length)
  const from = text.length - counter.tail(text, tokens).length
  const whole = characterAt(text, from)
  return whole === from ? text.slice(from) : text.slice(characterEnd(text, from))
}

const leftOut = (tokens: number): string => `… [${tokens} tokens left out]`

/** Entries begin at the margin; their later lines are indented. */
const ENTRY_BOUNDARY = /\n(?=[^\s])/u
/** Joining two texts can change their token count by up to this number. */
const SEAM_TOKENS = 4

function keepNewest(layer: Layer, tokens: number, counter: TokenCounter): TrimmedText | undefined {
  const entries =
    layer.entries ?? layer.text.split(ENTRY_BOUNDARY).map((text) => createEntryText(text, counter))
  const head = fullText({ heading: layer.heading, text: OMISSION })
  const space = tokens - counter.count(`${head}\n`)
  const fitting = newestThatFit(entries, space)
  const before = entries.at(-fitting.length - 1)
  const free = space - tokensOf(fitting)
  // A long entry before leaves much space, so its beginning is shown.
  if (before && fitting.length > 0 && free > MAX_SHARE_GIVEN_UP * tokens) {
    const cut = keepEnd(before.text, 'head', free - SEAM_TOKENS, counter)
    const kept = cut && [createEntryText(cut.text, counter), ...fitting]
    const counted = kept ? countEntryTokens(head, kept, counter) : Infinity
    if (kept && counted <= tokens) {
      const note = `the newest ${fitting.length} of ${entries.length} entries, and of the one before ${cut.note}`
      return { text: joinEntries(head, kept), note, tokens: counted }
    }
  }
  for (
    let start = steadyStart(fitting, before, (entry) => entry.tokens());
    start < fitting.length;
    start += 1
  ) {
    const kept = fitting.slice(start)
    const counted = countEntryTokens(head, kept, counter)
    if (counted > tokens) continue
    const note = `the newest ${kept.length} of ${entries.length} entries`
    return { text: joinEntries(head, kept), note, tokens: counted }
  }
  const cut = keepEnd(entries.at(-1)?.text ?? '', 'head', space - 1, counter)
  return cut && { text: `${head}\n${cut.text}`, note: `only the newest entry, ${cut.note}` }
}

const tokensOf = (entries: readonly EntryText[]): number =>
  entries.reduce((sum, entry) => sum + entry.tokens(), 0)

/** Returns the newest entries that fit, oldest first. Does not count the entries before them. */
function newestThatFit(entries: readonly EntryText[], tokens: number): readonly EntryText[] {
  let left = tokens
  const before = entries.findLastIndex((entry) => (left -= entry.tokens()) < 0)
  return entries.slice(before + 1)
}
