/**
 * What a provider adds to what we send, in tokens. None of the hosted ones documents its exact prompt format, so
 * these are facts with a date; the learned calibration makes up for what they miss. Each provider's adapter has its
 * own figures, and a prompt gets them as plain data in its model profile.
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
   * What is learned takes its place (calibration/).
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
