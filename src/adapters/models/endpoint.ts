import type { ModelConfig } from './config.ts'

/**
 * The base of an OpenAI-style API: `http://localhost:11434`, with or without `/v1` or a slash at the end.
 * An address that names a version anywhere (`/v1`, `/api/v1`, `/v1beta/openai`) is taken as it is.
 * Throws an `Error` for people when there is none, or it is not an http(s) URL, or it holds a password.
 */
export function versionedEndpoint(config: ModelConfig, fallback?: string): string {
  const base = endpoint(config, fallback)
  return /\/v\d/.test(new URL(base).pathname) ? base : `${base}/v1`
}

/** The configured address without a slash at its end, or the backend's own. Throws as above. */
export function endpoint(config: ModelConfig, fallback?: string): string {
  const written = config.endpoint ?? fallback
  if (written === undefined) {
    throw new Error(
      `model ${config.name}: backend ${config.backend} needs an endpoint, such as http://localhost:8000/v1`,
    )
  }
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Error(
      `model ${config.name}: endpoint is not an address; write http://HOST:PORT or https://HOST`,
    )
  }
  if (url.username || url.password) {
    throw new Error(`model ${config.name}: endpoint must not hold a password; use api_key_env`)
  }
  return (url.origin + url.pathname).replace(/\/+$/, '')
}
