import type { Json } from '../base/json.ts'
import type { Price } from '../base/price.ts'
import type { PictureRule } from '../words/picture-tokens.ts'

/** A model's configuration, without API keys. */
export interface ModelSettings {
  /** The name without `@`. */
  readonly name: string
  readonly backend: string
  /** The provider's name for the model, such as `qwen3:8b`. */
  readonly model: string
  /** The server's address. Facts learned about a model are stored per server. */
  readonly endpoint?: string
  /** Tokens, prompt and answer together. */
  readonly contextWindow: number
  /** True if a refusal gave no numbers, so that this window is guessed. */
  readonly isWindowGuessed?: boolean
  /** Tokens of the answer. */
  readonly maxOutput: number
  /** True if a refusal gave `maxOutput` as the model's maximum. */
  readonly isOutputLimited?: boolean
  readonly encoding: string
  readonly framing: Framing
  readonly systemPrompt: string
  /** The model's tool scope, applied in addition to the room's. */
  readonly tools: Json
  readonly enabled: boolean
  /** The model that is asked if this model fails before its first text. */
  readonly fallback?: string
  readonly price?: Price
  readonly lacks?: Lacks
  /** True if the model takes pictures; absent if neither the config nor the server says so. */
  readonly images?: boolean
  /** The provider's way of counting pictures; default: `CAREFUL_PICTURES`. */
  readonly pictureRule?: PictureRule
}

/** Features that a model lacks, each with the reason for people. */
export interface Lacks {
  readonly tools?: string
  readonly systemRole?: string
  readonly pictures?: string
  /** Request fields that are omitted or renamed, each with the reason. */
  readonly fields?: Readonly<Record<string, string>>
  /** Tools that the provider refuses, by id, each with the reason. */
  readonly toolIds?: Readonly<Record<string, string>>
}

/** The tokens that a provider adds to ours. Adapters give dated figures, and calibration corrects them. */
export interface Framing {
  /** Tokens for role marks and for the beginning of the answer. */
  readonly perRequest: number
  /** Tokens that are added once if the request has tools. */
  readonly perToolset: number
  readonly perTool: number
  /** The provider's tokens per token of ours, until its first report; at least 1. */
  readonly factor: number
  /** The most tool definitions in a request. */
  readonly maxTools?: number
  /** A regular expression for the names of parameters. */
  readonly parameterNames?: string
  /** The most by which our token count of a request may differ from the provider's, in per cent. */
  readonly tolerance: number
  readonly source: string
}

export const EXACT_FRAMING: Framing = {
  perRequest: 0,
  perToolset: 0,
  perTool: 0,
  factor: 1,
  tolerance: 0,
  source: 'our own program: what is counted is what it reads',
}

export const CAREFUL_FRAMING: Framing = {
  perRequest: 16,
  perToolset: 0,
  perTool: 8,
  factor: 1.25,
  tolerance: 25,
  source: 'assumed for chat templates of unknown models, 2026-11',
}
