import type { JsonObject } from '../base/json.ts'
import type { PictureRule } from '../words/picture-tokens.ts'
import type { Framing } from '../wrap/index.ts'
import type { LanguageModel } from '../wrap/loop/index.ts'

export interface ModelAccess {
  /** Error messages begin with this name. */
  readonly name: string
  readonly backend: string
  readonly model: string
  readonly endpoint?: string
  /** A secret: never logged, never in an error. */
  readonly apiKey?: string
  readonly apiKeyEnv?: string
  /** Maps header names to the environment variables that contain their values. */
  readonly headerEnv?: Readonly<Record<string, string>>
  /** Secrets, like `apiKey`. They override the adapter's own headers. */
  readonly headers?: Readonly<Record<string, string>>
  readonly endpointIsWhole?: boolean
  readonly proxy?: Proxies
  readonly keepAlive?: string | number
  readonly api?: 'chat' | 'responses'
  readonly temperature?: number
  readonly topP?: number
  readonly seed?: number
  readonly stop?: readonly string[]
  /** How much the model thinks, by a name common to all providers. */
  readonly effort?: Effort
  /** The effort by the provider's own name. */
  readonly reasoningEffort?: string
  readonly think?: boolean | Effort
  readonly options?: JsonObject
  /** Merged into the request; overrides all settings. */
  readonly extraBody?: JsonObject
}

export type Effort = 'low' | 'medium' | 'high'

/** URLs of HTTP proxies; `noProxy` is a comma-separated list of hosts reached without a proxy. */
export interface Proxies {
  readonly httpProxy?: string
  readonly httpsProxy?: string
  readonly noProxy: string
}

export interface Provider {
  /** Sends nothing before the first stream. Throws as `endpoint` does. */
  readonly create: (access: ModelAccess, limits: ModelLimits) => LanguageModel
  readonly framing: Framing
  /** Absent if nothing is known of the provider's models and pictures. */
  readonly pictures?: (model: string) => KnownPictures
  /** Keys that a `[[models]]` entry must have; `takes` lists further allowed keys. */
  readonly required: readonly RequiredKey[]
  readonly takes: readonly SettingKey[]
  /** The default model, used if the config names no model and the environment has the key. */
  readonly usual?: Readonly<Record<'name' | 'model' | 'api_key_env', string>> & {
    readonly context_window: number
  }
}

/** `takes` is absent if it is unknown whether the model accepts pictures. */
export interface KnownPictures {
  readonly takes?: boolean
  readonly rule?: PictureRule
}

/** Keys that every provider with a server accepts. */
export const REQUEST_KEYS = [
  ...(['temperature', 'top_p', 'stop', 'effort'] as const),
  ...(['extra_body', 'header_env', 'endpoint_is_whole'] as const),
]

type OwnKey = 'seed' | 'reasoning_effort' | 'think' | 'options' | 'keep_alive' | 'api'

export type SettingKey = (typeof REQUEST_KEYS)[number] | OwnKey

export type RequiredKey = 'model' | 'endpoint'

export interface ModelLimits {
  /** Milliseconds without a byte from the provider. */
  readonly idleMs: number
  readonly answerBytes: number
}

/** Allows minutes before the first byte, because a model may load from a slow disk. */
export const MODEL_LIMITS: ModelLimits = { idleMs: 240_000, answerBytes: 32 * 1024 * 1024 }

/** Endings of request URLs that people copy from documentation. */
const REQUEST_PATH = /\/(?:chat\/completions|responses|messages)$/

/**
 * Returns the base URL of an OpenAI-style API. Adds `/v1` unless the URL has a version anywhere
 * (`/v1beta/openai`, `?api-version=`) or is a request's URL (`/chat/completions`). Throws as `endpoint` does.
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
 * Returns the URL without query, final slash or a request's path. Throws an `Error` for people if the URL is
 * missing, not http(s), or contains a password.
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
