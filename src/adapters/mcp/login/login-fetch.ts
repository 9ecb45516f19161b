import { z } from 'zod'
import { cleanLine } from '../../../lib/text/clean-text.ts'
import { createBoundedFetch } from '../client/bounded-fetch.ts'
import type { McpByUrl } from '../config.ts'
import { masked, withoutSecrets } from '../secrets.ts'
import { LoginError } from './login.ts'
import { needSafe } from './safe-address.ts'

/** Whoever gives tokens answered with an error. `code` is that of OAuth (RFC 6749, 5.2), where it had one. */
export class RefusedLogin extends LoginError {
  readonly code: string | undefined
  constructor(message: string, code: string | undefined) {
    super(message)
    this.code = code
  }
}

/** How long one answer may take, in ms. */
const LIMIT_MS = 20_000

/** Characters of what somebody else says is wrong. */
const MAX_CHARS = 200

/** As `fetch`, for all that belongs to a login. Rejects with `LoginError`. */
export type LoginFetch = (address: string | URL, init?: RequestInit) => Promise<Response>

/**
 * Asks safe addresses only, bounded in time and size, and follows no redirect. The server's own headers go to the server alone.
 */
export function createGuardedFetch(reach: McpByUrl): LoginFetch {
  const server = new URL(reach.url)
  return async (address, init = {}) => {
    const url = needSafe(address, server)
    const sent = new Headers(init.headers)
    if (url.origin === server.origin)
      for (const [name, value] of Object.entries(reach.headers ?? {}))
        if (!sent.has(name)) sent.set(name, value)
    return await answerOf(url, { ...init, headers: sent, redirect: 'manual' })
  }
}

/** The same, and an error is told here, since the SDK would print it with all that is in it. */
export function createLoginFetch(reach: McpByUrl): LoginFetch {
  const fetchGuarded = createGuardedFetch(reach)
  return async (address, init = {}) => {
    const response = await fetchGuarded(address, init)
    const { status } = response
    if (init.method !== 'POST' || status < 300) return response
    const url = new URL(address)
    if (status < 400) {
      if (staysAt(url, response)) return response
      await response.body?.cancel()
      throw new LoginError(`${url.host} sends it on to another address (${status}), where no login goes`)
    }
    const { code, said } = errorIn(await response.text().catch(() => ''))
    const known = masked(withoutSecrets(said, reach), [reach.oauth?.clientSecret ?? ''])
    const shown = cleanLine(withoutValuesOf(init.body, known)).slice(0, MAX_CHARS)
    const why = [String(status), shown].filter(Boolean).join(', ')
    throw new RefusedLogin(`${url.host} refused it (${why})`, code)
  }
}

/** Whether a redirect is one within the origin that keeps the method: the SDK follows such a one by itself. */
function staysAt(url: URL, { status, headers }: Response): boolean {
  const to = headers.get('location') ?? ''
  return (
    (status === 307 || status === 308) && URL.canParse(to, url.href) && new URL(to, url).origin === url.origin
  )
}

const NOTHING = (): void => undefined
const fetchBounded = createBoundedFetch(NOTHING, NOTHING)

async function answerOf(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetchBounded(url, { ...init, signal: AbortSignal.timeout(LIMIT_MS) })
  } catch (error) {
    throw new LoginError(`${url.host} does not answer`, { cause: error })
  }
}

/** As RFC 6749, 5.2, has it; anything may come. */
const oauthError = z.object({ error: z.string(), error_description: z.string().optional().catch(undefined) })

function errorIn(text: string): { readonly code?: string; readonly said: string } {
  try {
    const { error, error_description: more } = oauthError.parse(JSON.parse(text))
    return { code: error, said: more === undefined ? error : `${error}: ${more}` }
  } catch {
    return { said: '' }
  }
}

/** What was sent there is a secret, or leads to one. */
const withoutValuesOf = (body: unknown, text: string): string =>
  body instanceof URLSearchParams
    ? ['code', 'code_verifier', 'refresh_token', 'client_secret', 'token']
        .flatMap((name) => body.get(name) ?? [])
        .reduce((shown, value) => shown.replaceAll(value, '***'), text)
    : text
