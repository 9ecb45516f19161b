import { createEntryTexts, type EntryTexts } from './entry-texts.ts'
import type { TokenCounter } from './ports.ts'
import { createPriceList, type PriceList } from './tool-definitions.ts'
import type { CatalogueTool } from './snapshot.ts'
import type { Selection, ToolOffer } from './tool-offer.ts'

/** What was worked out with one counter. */
export interface Known {
  readonly texts: EntryTexts
  /** Choices of a tools layer, with what their scopes had to say. */
  readonly selections: OncePer<
    readonly CatalogueTool[],
    { readonly selection: Selection; readonly notes: readonly string[] }
  >
  readonly offers: OncePer<Selection, ToolOffer | undefined>
}

/** What composing has worked out before: it only saves work. Nothing lives longer in it than the rows and tools it is of. */
export interface Remembered {
  readonly prices: PriceList
  by(counter: TokenCounter): Known
}

/** For whoever composes more than once. */
export function createRemembered(): Remembered {
  const known = new WeakMap<TokenCounter, Known>()
  return {
    prices: createPriceList(),
    by(counter) {
      const found = known.get(counter) ?? {
        texts: createEntryTexts(counter),
        selections: createOncePer(),
        offers: createOncePer(),
      }
      known.set(counter, found)
      return found
    },
  }
}

/** Gives what `make` made before of this object and this key, which says all else that it depends on. */
export type OncePer<Of extends object, T> = (of: Of, key: string, make: () => T) => T

/** Results that are kept of one object. */
const MAX_KEPT = 4

/** Keeps the newest results of each object, for as long as the object lives. */
export function createOncePer<Of extends object, T>(): OncePer<Of, T> {
  const objects = new WeakMap<Of, Map<string, { readonly made: T }>>()
  return (of, key, make) => {
    const known = objects.get(of) ?? new Map<string, { readonly made: T }>()
    objects.set(of, known)
    const found = known.get(key) ?? { made: make() }
    known.delete(key)
    known.set(key, found)
    const oldest = known.size > MAX_KEPT ? known.keys().next().value : undefined
    if (oldest !== undefined) known.delete(oldest)
    return found.made
  }
}

/** A counter that can be told what a text has, where that was worked out from its parts. */
export interface KnowingCounter extends TokenCounter {
  know(text: string, tokens: number): void
}

/** Characters from which on it is worth remembering what a text has. */
const MIN_KNOWN_CHARACTERS = 1000

/** For one prompt: a long text is counted once in it, or not at all. */
export function createKnownCounts(counter: TokenCounter): KnowingCounter {
  const known = new Map<string, number>()
  const know = (text: string, tokens: number): number => {
    if (text.length >= MIN_KNOWN_CHARACTERS) known.set(text, tokens)
    return tokens
  }
  return {
    count(text) {
      if (text.length < MIN_KNOWN_CHARACTERS) return counter.count(text)
      return known.get(text) ?? know(text, counter.count(text))
    },
    startsAnew: (text) => counter.startsAnew(text),
    head: (text, tokens) => counter.head(text, tokens),
    tail: (text, tokens) => counter.tail(text, tokens),
    know,
  }
}
