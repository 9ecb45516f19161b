import type { DraftLayer } from './draft.ts'
import type { Framing } from './framing.ts'
import type { TokenCounter } from './ports.ts'
import { userContent } from './prompt.ts'

/** What is being measured, and against what. */
export interface Terms {
  /** Tokens that system text, user text, tools and framing may have together. */
  readonly target: number
  /** The message that is answered. */
  readonly message: string
  /** What the provider adds. */
  readonly framing: Framing
  readonly counter: TokenCounter
}

/** Tokens of what would be sent now; they add up to the whole. */
export interface Sums {
  readonly system: number
  readonly context: number
  /** What the message adds to the user's part of the request, the break before it included. */
  readonly message: number
  readonly tools: number
  readonly framing: number
}

/** The texts that were taken so far, and exactly what they cost together. */
export interface Ledger {
  /** Tokens of all of it, counted on the strings that would be sent. */
  total(): number
  sums(): Sums
  /** Takes a layer's text, and tools with it, if the total stays within the target; else changes nothing. */
  tryPut(index: number, text: string, tools?: { readonly tokens: number }): boolean
  /** The total as it would be. */
  totalWith(index: number, text: string, tools?: { readonly tokens: number }): number
  textOf(placement: 'system' | 'context'): string
}

/** Joins layers as they are sent, in the order in which the script named them. */
const join = (texts: readonly (string | undefined)[]): string =>
  texts.filter((text) => text !== undefined && text !== '').join('\n\n')

interface Taken {
  readonly texts: readonly (string | undefined)[]
  readonly costs: Costs
}

/** The user's part is counted as one; what of it is context is worked out when somebody asks. */
interface Costs {
  readonly system: number
  readonly user: number
  readonly tools: number
  readonly framing: number
}

/** An empty ledger for these layers; only the message and the provider's framing are in it. */
export function createLedger(layers: readonly DraftLayer[], terms: Terms): Ledger {
  const { perRequest, perToolset } = terms.framing
  const textOf = (texts: Taken['texts'], system: boolean): string =>
    join(texts.map((text, index) => (layers[index]?.system === system ? text : undefined)))

  const userTokens = (texts: Taken['texts']): number =>
    terms.counter.count(userContent({ context: textOf(texts, false), message: terms.message }))

  const measure = (
    texts: Taken['texts'],
    tools: number | undefined,
    before?: Taken,
    changed?: number,
  ): Costs => {
    const inSystem = before && layers[changed!]!.system
    return {
      system: before && !inSystem ? before.costs.system : terms.counter.count(textOf(texts, true)),
      user: before && inSystem ? before.costs.user : userTokens(texts),
      tools: tools ?? 0,
      framing: perRequest + (tools === undefined ? 0 : perToolset),
    }
  }

  const empty = layers.map(() => undefined)
  let now: Taken = { texts: empty, costs: measure(empty, undefined) }
  let toolTokens: number | undefined

  const consider = (index: number, text: string, tools?: { readonly tokens: number }): Taken => {
    const texts = now.texts.with(index, text)
    return { texts, costs: measure(texts, tools?.tokens ?? toolTokens, now, index) }
  }
  return {
    total: () => sum(now.costs),
    sums() {
      const { user, ...costs } = now.costs
      const context = terms.counter.count(textOf(now.texts, false))
      return { ...costs, context, message: user - context }
    },
    totalWith: (index, text, tools) => sum(consider(index, text, tools).costs),
    tryPut(index, text, tools) {
      const next = consider(index, text, tools)
      if (sum(next.costs) > terms.target) return false
      now = next
      toolTokens = tools?.tokens ?? toolTokens
      return true
    },
    textOf: (placement) => textOf(now.texts, placement === 'system'),
  }
}

const sum = (costs: Costs): number => costs.system + costs.user + costs.tools + costs.framing
