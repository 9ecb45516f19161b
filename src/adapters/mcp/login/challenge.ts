import type { OAuthDiscoveryState } from '@modelcontextprotocol/client'
import { LoginError, type Challenge } from './login.ts'
import type { LoginFetch } from './login-fetch.ts'
import { needSafe } from './safe-address.ts'
import { isZodError, loginError } from './trouble.ts'

/** A request that changes nothing. */
const PING: RequestInit = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
}

/**
 * What a server wants of whoever has no token. It is asked each time: what it said before may have been wrong. Undefined where
 * it does not say so to this request. Rejects with `LoginError`.
 */
export async function challengeOf(server: URL, fetchGuarded: LoginFetch): Promise<Challenge | undefined> {
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
  const response = await fetchGuarded(server, PING)
  await response.body?.cancel()
  return response.status === 401 ? extractWWWAuthenticateParams(response) : undefined
}

/**
 * Who gives tokens for a server, as it says itself (RFC 9728). Undefined for an older one, which says nothing of it. The SDK
 * would take it for such a one also where that is wrong, and register at the server. Rejects with `LoginError`.
 */
export async function giverOf(
  server: URL,
  { resourceMetadataUrl }: Challenge,
  fetchFn: LoginFetch,
): Promise<OAuthDiscoveryState | undefined> {
  if (resourceMetadataUrl) needSafe(resourceMetadataUrl, server)
  const said = await saidOfLogin(server, resourceMetadataUrl, fetchFn)
  if (!said?.authorization_servers) return undefined
  const [giver] = said.authorization_servers
  if (giver === undefined) throw new LoginError('it names nobody who gives tokens for it')
  needSafe(giver, server)
  return {
    authorizationServerUrl: giver,
    resourceMetadata: said,
    ...(resourceMetadataUrl ? { resourceMetadataUrl: resourceMetadataUrl.href } : {}),
  }
}

async function saidOfLogin(
  server: URL,
  named: URL | undefined,
  fetchFn: LoginFetch,
): Promise<OAuthDiscoveryState['resourceMetadata']> {
  const { discoverOAuthProtectedResourceMetadata } = await import('@modelcontextprotocol/client')
  try {
    const at = named ? { resourceMetadataUrl: named } : {}
    return await discoverOAuthProtectedResourceMetadata(server, at, fetchFn)
  } catch (error) {
    if (error instanceof LoginError || isZodError(error)) throw loginError(error)
    if (!named) return undefined
    if (error instanceof SyntaxError) throw loginError(error)
    throw new LoginError(`it says that ${named.origin} tells who gives its tokens, and nothing is there`, {
      cause: error,
    })
  }
}
