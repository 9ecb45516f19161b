import { type MemoizePer, memoizePer } from '../lib/basics.ts'
import { createEntryTexts, type EntryTexts } from './entry-texts.ts'
import type { Framing } from './model-settings.ts'
import type { TokenCounter } from './ports.ts'
import type { CatalogueTool } from './snapshot.ts'
import { createPricer, type Pricer } from './tool-definitions.ts'
import type { Selection, ToolOffer } from './tool-offer.ts'

/**
 * What composing worked out before, by counter. It saves work and changes no prompt. Nothing in it lives longer than the
 * rows and tools that it was worked out for.
 */
export type ComposeCache = (counter: TokenCounter) => CounterCache

export interface CounterCache {
  readonly texts: EntryTexts
  readonly prices: (framing: Framing) => Pricer
  /** Choices of a tools layer, and what their scopes warn of. */
  readonly selections: MemoizePer<
    readonly CatalogueTool[],
    { readonly selection: Selection; readonly notes: readonly string[] }
  >
  readonly offers: MemoizePer<Selection, ToolOffer | undefined>
}

export function createComposeCache(): ComposeCache {
  const caches = memoizePer<TokenCounter, CounterCache>()
  return (counter) =>
    caches(counter, '', () => {
      const pricers = new Map<number, Pricer>()
      return {
        texts: createEntryTexts(counter),
        prices(framing) {
          // Each snapshot may bring its own copy of the framing, so its figure is compared, not the objects.
          const pricer = pricers.get(framing.perTool) ?? createPricer(framing, counter)
          pricers.set(framing.perTool, pricer)
          return pricer
        },
        selections: memoizePer(),
        offers: memoizePer(),
      }
    })
}

/** A counter that can be told the tokens of a text, if they were worked out from its parts. */
export interface KnowingCounter extends TokenCounter {
  know(text: string, tokens: number): void
}

/** Characters from which on the tokens of a text are kept. */
const MIN_KNOWN_CHARACTERS = 1000

/** For one prompt: a long text is counted once in it, or not at all. Without it a prompt takes 8 % longer. */
export function createKnownCounts(counter: TokenCounter): KnowingCounter {
  const known = new Map<string, number>()
  const know = (text: string, tokens: number): number => {
    if (text.length >= MIN_KNOWN_CHARACTERS) known.set(text, tokens)
    return tokens
  }
  return {
    ...counter,
    count: (text) => known.get(text) ?? know(text, counter.count(text)),
    know,
  }
}
