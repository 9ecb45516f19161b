import type { extractWWWAuthenticateParams } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { cleanLine } from '../base/text/clean-text.ts'
import { fetchBounded } from './client/fetch-bounded.ts'
import { isOnLoopback, isPrivateWay, type McpByUrl } from './config.ts'
import type { StoredLogin } from './login-store.ts'
import { redact, secretValues } from './redact.ts'

/** The message ends a sentence and contains no secret. */
export class LoginError extends Error {
  override readonly name = 'LoginError'
  /** The issuer's error code (RFC 6749, 5.2), if the issuer sent one. */
  readonly code: string | undefined
  constructor(message: string, { code, cause }: { code?: string | undefined; cause?: unknown } = {}) {
    super(message, { cause })
    this.code = code
  }
}

/** Returns the SDK's or the issuer's message without the quoted answer, which may contain tokens. */
export function whyFailed(error: unknown): string {
  if (error instanceof LoginError) return error.message
  const isQuoted = !(error instanceof Error) || error instanceof SyntaxError
  const text = isQuoted ? 'an answer that is no JSON' : error.message.replace(/ Raw body: .*/s, '')
  const hint = text.includes('dynamic client registration')
    ? '; register sshawl there, and write client_id and issuer in the config'
    : ''
  return cleanLine(text).slice(0, MAX_CHARS) + hint
}

export const toLoginError = (error: unknown): LoginError =>
  error instanceof LoginError
    ? error
    : new LoginError(`the login does not work: ${whyFailed(error)}`, { cause: error })

export type LoginFetch = (address: string | URL, init?: RequestInit) => Promise<Response>

const LIMIT_MS = 20_000

const MAX_CHARS = 200

/**
 * A `fetch` for safe addresses, with limits of time and size; rejects with `LoginError`. Only the server gets
 * its own headers. Shortens a refusal to its code and description, because the SDK would put the whole body
 * into its message.
 */
export function createLoginFetch(reach: McpByUrl): LoginFetch {
  const server = new URL(reach.url)
  return async (address, init = {}) => {
    const url = safeAddress(address, server)
    const headers = new Headers(init.headers)
    if (url.origin === server.origin)
      for (const [name, value] of Object.entries(reach.headers ?? {}))
        if (!headers.has(name)) headers.set(name, value)
    const signal = AbortSignal.timeout(LIMIT_MS)
    const response = await fetchBounded(url, { ...init, headers, redirect: 'manual', signal }).catch(
      (error: unknown) => {
        throw new LoginError(`${url.host} does not answer`, { cause: error })
      },
    )
    const { status } = response
    // The server's own refusal contains its challenge.
    if (init.method !== 'POST' || status < 300 || url.href === server.href) return response
    const text = await response.text().catch(() => '')
    if (status < 400)
      throw new LoginError(`${url.host} sends it on to another address (${status}), where no login goes`)
    const { code, said } = readOAuthError(text)
    const secrets = [reach.oauth?.clientSecret ?? '', ...secretsSent(init.body)]
    const shown = cleanLine(redact(said, [...secretValues(reach), ...secrets])).slice(0, MAX_CHARS)
    throw new LoginError(`${url.host} refused it (${[status, shown].filter(Boolean).join(', ')})`, { code })
  }
}

/**
 * Checks an address that a server names. An address on this machine is safe only for a server on this
 * machine: others could make sshawl request what only sshawl can reach. Throws `LoginError`.
 */
export function safeAddress(address: string | URL, server: URL): URL {
  const url = URL.canParse(String(address)) ? new URL(address) : undefined
  if (url && isPrivateWay(url) && (!isOnLoopback(url) || isOnLoopback(server))) return url
  const shown = url?.origin === 'null' ? cleanLine(url.href).slice(0, MAX_CHARS) : url?.origin
  throw new LoginError(`${shown ?? 'what it names'} is no address for a login: it has to begin with https://`)
}

const oauthError = z.object({ error: z.string(), error_description: z.string().optional().catch(undefined) })

function readOAuthError(text: string): { readonly code?: string; readonly said: string } {
  try {
    const { error, error_description: more } = oauthError.parse(JSON.parse(text))
    return { code: error, said: more === undefined ? error : `${error}: ${more}` }
  } catch {
    return { said: '' }
  }
}

const secretsSent = (body: unknown): readonly string[] =>
  body instanceof URLSearchParams
    ? ['code', 'code_verifier', 'refresh_token', 'client_secret', 'token'].flatMap((name) =>
        body.getAll(name),
      )
    : []

/** The challenge in the server's answer to a request without a token. */
export type Challenge = Pick<ReturnType<typeof extractWWWAuthenticateParams>, 'resourceMetadataUrl' | 'scope'>

const PING: RequestInit = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
}

/** Resolves to undefined if the server accepts the request. Rejects with `LoginError`. */
export async function askForChallenge(server: URL, fetchFn: LoginFetch): Promise<Challenge | undefined> {
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
  const response = await fetchFn(server, PING)
  await response.body?.cancel()
  return response.status === 401 ? extractWWWAuthenticateParams(response) : undefined
}

/** Rejects with an `Error`; a `LoginError` has the OAuth code, if there is one. */
export async function renewTokens(
  { tokens, client, server, resource }: StoredLogin,
  fetchFn: LoginFetch,
): Promise<StoredLogin['tokens']> {
  if (tokens.refresh_token === undefined)
    throw new LoginError('it cannot be renewed', { code: 'invalid_grant' })
  const { refreshAuthorization } = await import('@modelcontextprotocol/client')
  const next = await refreshAuthorization(server.authorizationServerUrl, {
    metadata: server.authorizationServerMetadata,
    clientInformation: client,
    refreshToken: tokens.refresh_token,
    resource,
    fetchFn,
  })
  // An answer without a scope keeps the scope (RFC 6749, 6).
  const scope = next.scope ?? tokens.scope
  return { ...next, ...(scope === undefined ? {} : { scope }), issuer: tokens.issuer }
}

/** Logs in with the config's secret, without a person (RFC 6749, 4.4). Rejects with `LoginError`. */
export async function logInAlone(
  { url, oauth: { clientId = '', clientSecret = '', issuer = '', scopes } = {} }: McpByUrl,
  challenge: Challenge,
  fetchFn: LoginFetch,
): Promise<StoredLogin> {
  const { auth, ClientCredentialsProvider } = await import('@modelcontextprotocol/client')
  const scope = scopes?.join(' ') ?? challenge.scope
  const provider = new ClientCredentialsProvider({
    clientId,
    clientSecret,
    expectedIssuer: issuer,
    clientName: 'sshawl',
    ...(scope === undefined ? {} : { scope }),
  })
  try {
    await auth(provider, { serverUrl: url, ...challenge, scope, fetchFn })
    const tokens = provider.tokens()
    if (!tokens) throw new LoginError('there is no token in the answer')
    return { url, tokens, client: { client_id: clientId }, server: { authorizationServerUrl: issuer } }
  } catch (error) {
    throw new LoginError(`it could not log in: ${whyFailed(error)}`, { cause: error })
  }
}

/** Revokes tokens (RFC 7009). Resolves to the reason if they may still be valid. */
export async function revoke(login: StoredLogin, fetchFn: LoginFetch): Promise<string | undefined> {
  const { tokens, client, server } = login
  const issuer: Readonly<Record<string, unknown>> = { ...server.authorizationServerMetadata }
  const endpoint = issuer['revocation_endpoint']
  if (typeof endpoint !== 'string')
    return 'its login server cannot revoke tokens, so they are valid until they expire'
  const { selectClientAuthMethod } = await import('@modelcontextprotocol/client')
  const methods =
    issuer['revocation_endpoint_auth_methods_supported'] ?? issuer['token_endpoint_auth_methods_supported']
  const method = selectClientAuthMethod(client, Array.isArray(methods) ? methods.map(String) : [])
  const { client_id, client_secret = '' } = client
  const body = new URLSearchParams({ token: tokens.refresh_token ?? tokens.access_token })
  const headers = new Headers()
  // Encodes like the SDK, because the issuer accepted that before.
  if (method === 'client_secret_basic')
    headers.set('authorization', `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`)
  else body.set('client_id', client_id)
  if (method === 'client_secret_post') body.set('client_secret', client_secret)
  try {
    await fetchFn(endpoint, { method: 'POST', headers, body })
    return undefined
  } catch (error) {
    return `the tokens could not be revoked, so they are valid until they expire: ${whyFailed(error)}`
  }
}
