import type { Json } from '../lib/json.ts'
import type { Price } from '../lib/price.ts'

/** What the core knows of a model: all of its configuration but how to log in at its server. */
export interface ModelSettings {
  /** As people call it, without `@`; chat/people/names.ts says of which characters. */
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

/**
 * What a provider adds to what we send, in tokens. None of the hosted ones documents its exact prompt format, so these
 * are figures of its adapter with a date; the learned calibration makes up for what they miss.
 */
export interface Framing {
  /** For each request: role marks and the beginning of the answer. */
  readonly perRequest: number
  /** Once, when there are tools at all. */
  readonly perToolset: number
  /** For each tool. */
  readonly perTool: number
  /**
   * How many tokens it counts for each of ours, in all text, while its reports have taught nothing; at least 1.
   * What is learned takes its place (calibration.ts).
   */
  readonly factor: number
  /** Definitions that a request may have; absent where no limit is known, as for Anthropic, Ollama and llama.cpp. */
  readonly maxTools?: number
  /** A regular expression that every parameter's name must match; absent where any is taken, or nothing is known. */
  readonly parameterNames?: string
  /** How far the sum may be off, in per cent; 0 where it is exact. */
  readonly tolerance: number
  /** Where the figures come from, and when they were looked up. */
  readonly source: string
}

/** For a reader that gets our texts and nothing else. */
export const EXACT_FRAMING: Framing = {
  perRequest: 0,
  perToolset: 0,
  perTool: 0,
  factor: 1,
  tolerance: 0,
  source: 'our own program: what is counted is what it reads',
}

/** For a provider of which nothing is known. */
export const CAREFUL_FRAMING: Framing = {
  perRequest: 16,
  perToolset: 0,
  perTool: 8,
  factor: 1.25,
  tolerance: 25,
  source: 'assumed for chat templates of unknown models, 2026-11',
}
