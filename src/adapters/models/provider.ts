import type { Framing } from '../../prompt/model-settings.ts'
import type { LanguageModel } from '../../turns/ports.ts'

export interface ModelAccess {
  /** As people call it, without `@`: error messages begin with it. */
  readonly name: string
  readonly backend: string
  /** Such as `qwen3:8b`. */
  readonly model: string
  /** The provider's own default when absent. */
  readonly endpoint?: string
  /** Never logged, never in an error. */
  readonly apiKey?: string
  /** The environment variable that the key came from. */
  readonly apiKeyEnv?: string
  /** How long Ollama keeps the model in memory after a request, in its own words. */
  readonly keepAlive?: string | number
}

export interface Provider {
  /**
   * Sends nothing until it is asked to stream. Throws an `Error` for people if the endpoint is missing or no
   * URL.
   */
  readonly create: (access: ModelAccess, limits: ModelLimits) => LanguageModel
  readonly framing: Framing
  /** Keys that a `[[models]]` entry must have. */
  readonly required: readonly RequiredKey[]
  /** The model of a server whose config names none, if the key is in the environment. */
  readonly usual?: UsualModel
}

export type RequiredKey = 'model' | 'endpoint'

export interface UsualModel {
  readonly name: string
  readonly model: string
  readonly context_window: number
  readonly api_key_env: string
}

/** Limits on one answer. */
export interface ModelLimits {
  /** Milliseconds without a byte from the provider. */
  readonly idleMs: number
  readonly answerBytes: number
  /** Of the stream: the parser looks through a line from its start whenever it grows. */
  readonly lineBytes: number
}

/** A model on a slow disk takes minutes to load before its first byte. */
export const MODEL_LIMITS: ModelLimits = {
  idleMs: 240_000,
  answerBytes: 32 * 1024 * 1024,
  lineBytes: 1024 * 1024,
}

/**
 * The base of an OpenAI-style API. An address that names a version anywhere (`/v1`, `/v1beta/openai`) is kept
 * as it is. Throws as `endpoint`.
 */
export function versionedEndpoint(access: ModelAccess, fallback?: string): string {
  const base = endpoint(access, fallback)
  return /\/v\d/.test(new URL(base).pathname) ? base : `${base}/v1`
}

/**
 * Without a slash at its end. Throws an `Error` for people if there is none, it is no http(s) URL, or it
 * holds a password.
 */
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
