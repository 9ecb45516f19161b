import type { Framing } from '../../prompt/model-settings.ts'
import type { LanguageModel } from '../../turns/ports.ts'

/** How to reach a model: what its provider's adapter needs to know. */
export interface ModelAccess {
  /** As people call the model, without `@`: error messages begin with it. */
  readonly name: string
  /** The provider's name in index.ts. */
  readonly backend: string
  /** The provider's own name for the model, such as `qwen3:8b`. */
  readonly model: string
  /** Where its server is; the provider's own default when absent. `…/v1` is accepted too. */
  readonly endpoint?: string
  /** The key itself, read from the environment by src/config. Never logged, never in an error. */
  readonly apiKey?: string
  /** The name of the environment variable that the key came from, for error messages. */
  readonly apiKeyEnv?: string
  /** How long a server keeps the model in its memory after a request, in its own words; only Ollama is told. */
  readonly keepAlive?: string | number
}

/** Everything that is specific to a provider. Only its own file knows it. */
export interface Provider {
  /**
   * The adapter for one model. Nothing is sent until it is asked to stream. Throws an `Error` whose message says
   * what to write instead, when the endpoint is missing or not a URL.
   */
  readonly create: (access: ModelAccess, limits: ModelLimits) => LanguageModel
  /** What it adds to a request. */
  readonly framing: Framing
  /** What a `[[models]]` entry must say. */
  readonly required: readonly RequiredKey[]
  /** The model that a server has if the config names no model and the key is in the environment. */
  readonly usual?: UsualModel
}

/** Keys of a `[[models]]` entry that some providers can do without. */
export type RequiredKey = 'model' | 'endpoint'

/** A `[[models]]` entry that holds without being written; its keys are those of the file. */
export interface UsualModel {
  readonly name: string
  readonly model: string
  readonly context_window: number
  readonly api_key_env: string
}

/** Limits on one answer, so that a provider can neither hold a turn for ever nor fill the memory. */
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

/**
 * The base of an OpenAI-style API: `http://localhost:11434`, with or without `/v1` or a slash at the end.
 * An address that names a version anywhere (`/v1`, `/api/v1`, `/v1beta/openai`) is taken as it is.
 * Throws an `Error` for people when there is none, or it is not an http(s) URL, or it holds a password.
 */
export function versionedEndpoint(access: ModelAccess, fallback?: string): string {
  const base = endpoint(access, fallback)
  return /\/v\d/.test(new URL(base).pathname) ? base : `${base}/v1`
}

/** The configured address without a slash at its end, or the provider's own. Throws as above. */
export function endpoint(access: ModelAccess, fallback?: string): string {
  const written = access.endpoint ?? fallback
  if (written === undefined) {
    throw new Error(
      `model ${access.name}: backend ${access.backend} needs an endpoint, such as http://localhost:8000/v1`,
    )
  }
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Error(
      `model ${access.name}: endpoint is not an address; write http://HOST:PORT or https://HOST`,
    )
  }
  if (url.username || url.password) {
    throw new Error(`model ${access.name}: endpoint must not hold a password; use api_key_env`)
  }
  return (url.origin + url.pathname).replace(/\/+$/, '')
}
