import type { ModelSettings } from '../../prompt/model-settings.ts'

/** A model as the config gives it: what the core knows of it, and how to reach it. */
export interface ModelConfig extends ModelSettings {
  /** Where its server is; the backend's own default when absent. `…/v1` is accepted too. */
  readonly endpoint?: string
  /** The key itself, read from the environment by config.ts. Never logged, never in an error. */
  readonly apiKey?: string
  /** The name of the environment variable that the key came from, for error messages. */
  readonly apiKeyEnv?: string
}

/** Figures that keep a provider from holding a turn for ever or filling the memory. */
export interface ModelLimits {
  /** Without a byte from the provider for this long, the step fails. Milliseconds. */
  readonly idleMs: number
  /** Bytes in one answer, framing included. */
  readonly answerBytes: number
  /** Bytes in one line of the stream: the parser looks through a line from its start whenever it grows. */
  readonly lineBytes: number
}

/** A model on a slow disk takes minutes to load before its first byte. */
export const MODEL_LIMITS: ModelLimits = {
  idleMs: 240_000,
  answerBytes: 32 * 1024 * 1024,
  lineBytes: 1024 * 1024,
}
