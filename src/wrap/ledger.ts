import { inTextOrder, type Layer } from './layers.ts'
import type { Framing } from './model-settings.ts'
import type { TokenCounter } from './ports.ts'
import { BREAK } from './prompt.ts'

export interface BudgetInputs {
  /** Tokens of the whole request. */
  readonly target: number
  readonly message: string
  readonly framing: Framing
  readonly counter: TokenCounter
  /** Tokens of the pictures sent with the message. */
  readonly pictures?: number
  /** True if tools come right after required layers. */
  readonly toolsFirst?: boolean
}

/** In tokens. `message` includes the break before it. */
export interface BudgetSums {
  readonly system: number
  readonly context: number
  readonly message: number
  readonly tools: number
  readonly framing: number
  readonly pictures: number
}

interface LayerText {
  readonly layer: Layer
  readonly text: string
  readonly toolTokens: number | undefined
}

/** `user` is the context and the message, counted as one text. */
interface Costs {
  readonly system: number
  readonly user: number
  readonly tools: number
  readonly framing: number
  readonly pictures: number
}

/** The texts so far, and their exact cost, counted on the strings that would be sent. */
export class Ledger {
  readonly #layers: readonly Layer[]
  readonly #terms: BudgetInputs
  readonly #count: (parts: readonly string[]) => number
  readonly #texts = new Map<Layer, string>()
  #costs: Costs

  constructor(layers: readonly Layer[], terms: BudgetInputs) {
    this.#layers = inTextOrder(layers)
    this.#terms = terms
    this.#count = createJoinedCounter(terms.counter)
    const { framing, pictures = 0 } = terms
    this.#costs = { system: 0, user: this.#tokens(false), tools: 0, framing: framing.perRequest, pictures }
  }

  total(): number {
    return sum(this.#costs)
  }

  totalWith(change: LayerText): number {
    return sum(this.#costsWith(change))
  }

  /** Adds a text if the total stays within the target. Otherwise returns false and changes nothing. */
  tryPut(change: LayerText): boolean {
    const next = this.#costsWith(change)
    if (sum(next) > this.#terms.target) return false
    this.#costs = next
    this.#texts.set(change.layer, change.text)
    return true
  }

  sums(): BudgetSums {
    const { system, user, tools, framing, pictures } = this.#costs
    const context = this.#count(this.#parts(false))
    return { system, context, message: user - context, tools, framing, pictures }
  }

  /** UTF-16 units of the context before its late layers. */
  stablePrefix(): number {
    const late = this.#layers.filter((layer) => layer.late && (this.#texts.get(layer) ?? '') !== '')
    const parts = this.#parts(false)
    return parts.slice(0, parts.length - late.length).join(BREAK).length
  }

  text(placement: 'system' | 'context'): string {
    return this.#parts(placement === 'system').join(BREAK)
  }

  #costsWith(change: LayerText): Costs {
    const { perRequest, perToolset } = this.#terms.framing
    const { system } = change.layer
    const { toolTokens: tools } = change
    return {
      ...this.#costs,
      [system ? 'system' : 'user']: this.#tokens(system, change),
      ...(tools === undefined ? {} : { tools, framing: perRequest + perToolset }),
    }
  }

  #tokens(system: boolean, change?: LayerText): number {
    const parts = this.#parts(system, change)
    return this.#count(system ? parts : [...parts, this.#terms.message])
  }

  #parts(system: boolean, change?: LayerText): readonly string[] {
    return this.#layers
      .filter((layer) => layer.system === system)
      .map((layer) => (layer === change?.layer ? change.text : this.#texts.get(layer)) ?? '')
      .filter((text) => text !== '')
  }
}

const sum = ({ system, user, tools, framing, pictures }: Costs): number =>
  system + user + tools + framing + pictures

/** Counts joined texts exactly. Counts a text apart, and only once, if the next text starts anew. */
function createJoinedCounter(counter: TokenCounter): (parts: readonly string[]) => number {
  const beforeOthers = new Map<string, number>()
  const countBefore = (text: string): number => {
    const known = beforeOthers.get(text)
    if (known !== undefined) return known
    const last = text.slice(text.lastIndexOf('\n') + 1)
    // The break joins only the last line, if that line starts anew.
    const tokens = counter.startsAnew(last)
      ? counter.count(text) - counter.count(last) + counter.count(last + BREAK)
      : counter.count(text + BREAK)
    beforeOthers.set(text, tokens)
    return tokens
  }
  return (parts) => {
    let before = 0
    let open = ''
    for (const part of parts) {
      if (part === '') continue
      if (open === '') open = part
      else if (counter.startsAnew(part)) {
        before += countBefore(open)
        open = part
      } else open += BREAK + part
    }
    return before + counter.count(open)
  }
}
