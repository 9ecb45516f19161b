import type { JsonObject } from '../../lib/json.ts'
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
  /** Environment variables by the headers that have their values. */
  readonly headerEnv?: Readonly<Record<string, string>>
  /** Values are secret like `apiKey`. They win over headers of ours. */
  readonly headers?: Readonly<Record<string, string>>
  /** True if requests go to `endpoint` as it is written, without a path of ours. */
  readonly endpointIsWhole?: boolean
  readonly proxy?: Proxies
  /** How long Ollama keeps the model in memory after a request, in its own words. */
  readonly keepAlive?: string | number
  /** Which of OpenAI's APIs is used. */
  readonly api?: 'chat' | 'responses'
  readonly temperature?: number
  readonly topP?: number
  readonly seed?: number
  readonly stop?: readonly string[]
  /** How much the model thinks, in words for all providers. */
  readonly effort?: Effort
  /** The same in the provider's own words. */
  readonly reasoningEffort?: string
  readonly think?: boolean | Effort
  /** Ollama's options of the model. */
  readonly options?: JsonObject
  /** Merged into the request, over all settings. */
  readonly extraBody?: JsonObject
}

export type Effort = 'low' | 'medium' | 'high'

/** Addresses of HTTP proxies, and with commas between them the hosts that are reached without one. */
export interface Proxies {
  readonly httpProxy?: string
  readonly httpsProxy?: string
  readonly noProxy: string
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
  /** Further keys that a `[[models]]` entry may have. */
  readonly takes: readonly SettingKey[]
  /** The model of a server whose config names none, if the key is in the environment. */
  readonly usual?: UsualModel
}

/** Keys that every provider with a server takes. */
export const REQUEST_KEYS = [
  'temperature',
  'top_p',
  'stop',
  'effort',
  'extra_body',
  'header_env',
  'endpoint_is_whole',
] as const

export type SettingKey =
  | (typeof REQUEST_KEYS)[number]
  | 'seed'
  | 'reasoning_effort'
  | 'think'
  | 'options'
  | 'keep_alive'
  | 'api'

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
}

/** A model on a slow disk takes minutes to load before its first byte. */
export const MODEL_LIMITS: ModelLimits = { idleMs: 240_000, answerBytes: 32 * 1024 * 1024 }

/** The ends of addresses that people copy from a page for one request. */
const REQUEST_PATH = /\/(?:chat\/completions|responses|messages)$/

/**
 * The base of an OpenAI-style API. An address that names a version anywhere (`/v1`, `/v1beta/openai`,
 * `?api-version=`) or one request (`/chat/completions`) gets no version. Throws as `endpoint`.
 */
export function versionedEndpoint(access: ModelAccess, fallback?: string): string {
  const base = endpoint(access, fallback)
  const { pathname, searchParams } = new URL(access.endpoint ?? base)
  const isVersioned =
    /\/v\d/.test(pathname) || searchParams.has('api-version') || REQUEST_PATH.test(withoutSlash(pathname))
  return isVersioned || access.endpointIsWhole ? base : `${base}/v1`
}

const withoutSlash = (path: string): string => path.replace(/\/+$/, '')

/**
 * Without a query, a slash at its end or the path of one request. Throws an `Error` for people if there is none, it is no http(s) URL, or it
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
  const base = withoutSlash(url.origin + url.pathname)
  return access.endpointIsWhole ? base : base.replace(REQUEST_PATH, '')
}
