import { z } from 'zod'
import { cleanLine } from '../../../lib/text/clean-text.ts'
import { createBoundedFetch } from '../client/bounded-fetch.ts'
import type { McpByUrl } from '../config.ts'
import { withoutSecrets } from '../secrets.ts'
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

/**
 * As `fetch`, for all that belongs to a login: safe addresses only, bounded in time and size. The server's own headers go to
 * the server alone. An error is told here, since the SDK would print it with all that is in it. Rejects with `LoginError`.
 */
export const createLoginFetch =
  (reach: McpByUrl) =>
  async (address: string | URL, init: RequestInit = {}): Promise<Response> => {
    const server = new URL(reach.url)
    const url = needSafe(address, server)
    const sent = new Headers(init.headers)
    if (url.origin === server.origin)
      for (const [name, value] of Object.entries(reach.headers ?? {}))
        if (!sent.has(name)) sent.set(name, value)
    const response = await answerOf(url, { ...init, headers: sent })
    if (init.method !== 'POST' || response.status < 400) return response
    const { code, said } = errorIn(await response.text().catch(() => ''))
    const shown = cleanLine(withoutValuesOf(init.body, withoutSecrets(said, reach))).slice(0, MAX_CHARS)
    const why = [String(response.status), shown].filter(Boolean).join(', ')
    throw new RefusedLogin(`${url.host} refused it (${why})`, code)
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
