import type { Framing } from './model-settings.ts'
import type { Layer } from './layers.ts'
import type { TokenCounter } from './ports.ts'
import { BREAK } from './prompt.ts'

export interface BudgetTerms {
  /** Tokens that system text, user text, tools and framing may have together. */
  readonly target: number
  /** The message that is answered. */
  readonly message: string
  /** What the provider adds. */
  readonly framing: Framing
  readonly counter: TokenCounter
  /** True if tools come before all that is not required; else the priorities alone decide. */
  readonly toolsFirst?: boolean
}

/** Tokens of what would be sent now; they add up to the total. */
export interface BudgetSums {
  readonly system: number
  readonly context: number
  /** What the message adds to the user's part of the request, the break before it included. */
  readonly message: number
  readonly tools: number
  readonly framing: number
}

/** A layer's new text. */
export interface LayerText {
  readonly layer: Layer
  readonly text: string
  /** Tokens of the definitions that come with it. */
  readonly toolTokens: number | undefined
}

/** The texts that were taken so far, and their exact cost, counted on the strings that would be sent. */
export interface Ledger {
  total(): number
  /** What the total would be with this text. */
  totalWith(change: LayerText): number
  /** Takes a text if the total stays within the target; else nothing changes and it returns false. */
  tryPut(change: LayerText): boolean
  sums(): BudgetSums
  /** The layers of one placement, joined as they are sent: in the order in which the script named them. */
  text(placement: 'system' | 'context'): string
}

/** A ledger for these layers. At first only the message and the provider's framing are in it. */
export function createLedger(
  layers: readonly Layer[],
  { target, message, framing, counter }: BudgetTerms,
): Ledger {
  const texts = new Map<Layer, string>()
  const partsOf = (system: boolean, change?: LayerText): readonly string[] =>
    layers
      .filter((layer) => layer.system === system)
      .map((layer) => (layer === change?.layer ? change.text : texts.get(layer)) ?? '')
      .filter((text) => text !== '')
  const tokensOf = createJoinedCounter(counter)
  // The user's part is counted as one text; how much of it is context is worked out only when somebody asks.
  const tokensWith = (system: boolean, change?: LayerText): number =>
    tokensOf(system ? partsOf(true, change) : [...partsOf(false, change), message])

  let costs = { system: 0, user: tokensWith(false), tools: 0, framing: framing.perRequest }
  const costsWith = (change: LayerText): typeof costs => ({
    ...costs,
    ...(change.layer.system ? { system: tokensWith(true, change) } : { user: tokensWith(false, change) }),
    ...(change.toolTokens === undefined
      ? {}
      : { tools: change.toolTokens, framing: framing.perRequest + framing.perToolset }),
  })
  const sum = (parts: typeof costs): number => parts.system + parts.user + parts.tools + parts.framing

  return {
    total: () => sum(costs),
    totalWith: (change) => sum(costsWith(change)),
    tryPut(change) {
      const next = costsWith(change)
      if (sum(next) > target) return false
      costs = next
      texts.set(change.layer, change.text)
      return true
    },
    sums() {
      const { system, user, tools, framing } = costs
      const context = tokensOf(partsOf(false))
      return { system, context, message: user - context, tools, framing }
    },
    text: (placement) => partsOf(placement === 'system').join(BREAK),
  }
}

/**
 * Counts texts as they are joined, exactly. If a text starts anew, the text before it is counted apart and kept: so a
 * prompt of many layers is not counted again for each of them.
 */
function createJoinedCounter(counter: TokenCounter): (parts: readonly string[]) => number {
  const beforeOthers = new Map<string, number>()
  const countBefore = (text: string): number => {
    const known = beforeOthers.get(text)
    if (known !== undefined) return known
    const last = text.slice(text.lastIndexOf('\n') + 1)
    // The break joins the last line only, if that line starts anew.
    const tokens = counter.startsAnew(last)
      ? counter.count(text) - counter.count(last) + counter.count(last + BREAK)
      : counter.count(text + BREAK)
    beforeOthers.set(text, tokens)
    return tokens
  }
  return (parts) => {
    let sum = 0
    let open = ''
    for (const part of parts) {
      if (part === '') continue
      if (open === '') open = part
      else if (counter.startsAnew(part)) {
        sum += countBefore(open)
        open = part
      } else open += BREAK + part
    }
    return sum + counter.count(open)
  }
}
