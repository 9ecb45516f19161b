/**
 * What composing has worked out before. This folder saves work and must not change any prompt: whatever it forgets is
 * worked out again. It must not know how anything in it is worked out.
 */
import { createEntryTexts, type EntryTexts } from '../conversation/entry-texts.ts'
import { createOncePer, type OncePer } from './once-per.ts'
import type { TokenCounter } from '../ports.ts'
import { createPriceList, type PriceList } from '../price-list.ts'
import type { CatalogueTool } from '../snapshot.ts'
import type { Selection, ToolOffer } from '../tool-offer.ts'

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
