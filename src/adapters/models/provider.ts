import type { JsonObject } from '../../lib/json.ts'
import type { Framing } from '../../prompt/model-settings.ts'
import type { LanguageModel } from '../../turns/ports.ts'

export interface ModelAccess {
  /** Error messages begin with it. */
  readonly name: string
  readonly backend: string
  /** Such as `qwen3:8b`. */
  readonly model: string
  readonly endpoint?: string
  /** Never logged, never in an error. */
  readonly apiKey?: string
  readonly apiKeyEnv?: string
  /** Environment variables by the headers that have their values. */
  readonly headerEnv?: Readonly<Record<string, string>>
  /** Values are secret like `apiKey`. They win over headers of ours. */
  readonly headers?: Readonly<Record<string, string>>
  readonly endpointIsWhole?: boolean
  readonly proxy?: Proxies
  readonly keepAlive?: string | number
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
  /** Sends nothing until it is asked to stream. Throws as `endpoint`. */
  readonly create: (access: ModelAccess, limits: ModelLimits) => LanguageModel
  readonly framing: Framing
  /** Keys that a `[[models]]` entry must have, and further ones that it may have. */
  readonly required: readonly RequiredKey[]
  readonly takes: readonly SettingKey[]
  /** The model of a server whose config names none, if the key is in the environment. */
  readonly usual?: Readonly<Record<'name' | 'model' | 'api_key_env', string>> & {
    readonly context_window: number
  }
}

/** Keys that every provider with a server takes. */
export const REQUEST_KEYS = [
  ...(['temperature', 'top_p', 'stop', 'effort'] as const),
  ...(['extra_body', 'header_env', 'endpoint_is_whole'] as const),
]

type OwnKey = 'seed' | 'reasoning_effort' | 'think' | 'options' | 'keep_alive' | 'api'

export type SettingKey = (typeof REQUEST_KEYS)[number] | OwnKey

export type RequiredKey = 'model' | 'endpoint'

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
  const isRequest = REQUEST_PATH.test(withoutSlash(pathname))
  const isVersioned = /\/v\d/.test(pathname) || searchParams.has('api-version') || isRequest
  return isVersioned || access.endpointIsWhole ? base : `${base}/v1`
}

const withoutSlash = (path: string): string => path.replace(/\/+$/, '')

/**
 * Without a query, a slash at its end or the path of one request. Throws an `Error` for people if there is
 * none, it is no http(s) URL, or it holds a password.
 */
export function endpoint(access: ModelAccess, fallback?: string): string {
  const { name, backend, endpoint: written = fallback } = access
  const refuse = (why: string): never => {
    throw new Error(`model ${name}: ${why}`)
  }
  if (written === undefined)
    return refuse(`backend ${backend} needs an endpoint, such as http://localhost:8000/v1`)
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    return refuse('endpoint is not an address; write http://HOST:PORT or https://HOST')
  if (url.username || url.password) return refuse('endpoint must not hold a password; use api_key_env')
  const base = withoutSlash(url.origin + url.pathname)
  return access.endpointIsWhole ? base : base.replace(REQUEST_PATH, '')
}
