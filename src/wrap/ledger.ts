import type { DraftLayer } from './draft.ts'
import { framingOf } from './framing.ts'
import type { TokenCounter } from './ports.ts'
import { userContent } from './prompt.ts'

/** What is being measured, and against what. */
export interface Terms {
  /** Tokens that system text, user text, tools and framing may have together. */
  readonly target: number
  /** The message that is answered. */
  readonly message: string
  /** Row of the framing table. */
  readonly backend: string
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
  readonly sums: Sums
}

/** An empty ledger for these layers; only the message and the provider's framing are in it. */
export function createLedger(layers: readonly DraftLayer[], terms: Terms): Ledger {
  const framing = framingOf(terms.backend)
  const textOf = (texts: Taken['texts'], system: boolean): string =>
    join(texts.map((text, index) => (layers[index]?.system === system ? text : undefined)))

  const measure = (
    texts: Taken['texts'],
    tools: number | undefined,
    before?: Taken,
    changed?: number,
  ): Sums => ({
    ...(before !== undefined && layers[changed!]!.system
      ? before.sums
      : userSums(textOf(texts, false), terms)),
    system:
      before !== undefined && !layers[changed!]!.system
        ? before.sums.system
        : terms.counter.count(textOf(texts, true)),
    tools: tools ?? 0,
    framing: framing.perRequest + (tools === undefined ? 0 : framing.perToolset),
  })

  const empty = layers.map(() => undefined)
  let now: Taken = { texts: empty, sums: measure(empty, undefined) }
  let toolTokens: number | undefined

  const consider = (index: number, text: string, tools?: { readonly tokens: number }): Taken => {
    const texts = now.texts.with(index, text)
    return { texts, sums: measure(texts, tools?.tokens ?? toolTokens, now, index) }
  }
  return {
    total: () => sum(now.sums),
    sums: () => now.sums,
    totalWith: (index, text, tools) => sum(consider(index, text, tools).sums),
    tryPut(index, text, tools) {
      const next = consider(index, text, tools)
      if (sum(next.sums) > terms.target) return false
      now = next
      toolTokens = tools?.tokens ?? toolTokens
      return true
    },
    textOf: (placement) => textOf(now.texts, placement === 'system'),
  }
}

function userSums(context: string, { message, counter }: Terms): Pick<Sums, 'context' | 'message'> {
  const alone = counter.count(context)
  return { context: alone, message: counter.count(userContent({ context, message })) - alone }
}

const sum = (sums: Sums): number => sums.system + sums.context + sums.message + sums.tools + sums.framing
