import type { Json } from '../lib/json.ts'
import type { Price } from '../lib/price.ts'
import type { Framing } from './framing.ts'

/** What the core knows of a model: all of its configuration but how to log in at its server. */
export interface ModelSettings {
  /** As people call it, without `@`; chat/people/name-rules.ts says of which characters. */
  readonly name: string
  /** Which kind of provider it has, as the config names it; the list is adapters/models/index.ts. */
  readonly backend: string
  /** The provider's own name for it, such as `qwen3:8b`. */
  readonly model: string
  /** Where its server is, if the config says it: what is learned of a model is kept for each server. */
  readonly endpoint?: string
  /** Tokens, prompt and answer together. */
  readonly contextWindow: number
  /**
   * Present where this window is only guessed, after a refusal that told no number: the least factor of budgets while it
   * holds, since it was guessed with that.
   */
  readonly guessFactor?: number
  /** Tokens kept free for the answer, and asked for at most. */
  readonly maxOutput: number
  /** A tiktoken encoding, such as `o200k_base`. */
  readonly encoding: string
  /** What its provider adds to a request. */
  readonly framing: Framing
  /** Text that gives the model its character; may be empty. */
  readonly systemPrompt: string
  /** A scope: `"all"`, or patterns. A tool is visible only if this scope and the room's both show it. */
  readonly tools: Json
  readonly enabled: boolean
  /** The name of the model that is asked when this one fails before it said anything. */
  readonly fallback?: string
  /** What its tokens cost; absent where the config does not say. */
  readonly price?: Price
  /** What it cannot do, with the reason in words for people. */
  readonly lacks?: Lacks
}

/** What a model cannot do; absent is what it can. */
export interface Lacks {
  readonly tools?: string
  readonly systemRole?: string
}
