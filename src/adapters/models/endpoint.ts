import type { ModelAccess } from './provider.ts'

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
