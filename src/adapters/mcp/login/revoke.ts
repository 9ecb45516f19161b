import { LoginError } from './login.ts'
import type { LoginFetch } from './login-fetch.ts'
import type { GivenLogin } from './login-file.ts'

/** Asks for tokens to hold no more (RFC 7009). Resolves to why they may still do; undefined where they do not. */
export async function revoke(login: GivenLogin, fetchFn: LoginFetch): Promise<string | undefined> {
  const endpoint = said(login, 'revocation_endpoint')
  if (typeof endpoint !== 'string')
    return 'whoever gave the tokens takes none back, so they hold until they expire'
  try {
    const { ok, status } = await fetchFn(endpoint, { method: 'POST', ...(await requestOf(login)) })
    return ok ? undefined : notTaken(`it was sent on to another address (${status})`)
  } catch (error) {
    if (!(error instanceof LoginError)) throw error
    return notTaken(error.message)
  }
}

const notTaken = (why: string): string =>
  `the tokens could not be taken back, so they hold until they expire: ${why}`

/** We say who we are as we did for the tokens, unless the issuer wants it otherwise here (RFC 8414, 2). */
async function requestOf(login: GivenLogin): Promise<Pick<RequestInit, 'headers' | 'body'>> {
  const { tokens, client } = login
  const { client_id, client_secret } = client
  const { selectClientAuthMethod } = await import('@modelcontextprotocol/client')
  const method = selectClientAuthMethod(client, [
    ...namesIn(
      said(login, 'revocation_endpoint_auth_methods_supported') ??
        said(login, 'token_endpoint_auth_methods_supported'),
    ),
  ])
  const body = new URLSearchParams({ token: tokens.refresh_token ?? tokens.access_token })
  if (method === 'client_secret_basic') {
    // As the SDK writes it, since the issuer took it so before.
    const name = Buffer.from(`${client_id}:${client_secret ?? ''}`).toString('base64')
    return { headers: { authorization: `Basic ${name}` }, body }
  }
  body.set('client_id', client_id)
  if (method === 'client_secret_post' && client_secret !== undefined) body.set('client_secret', client_secret)
  return { body }
}

/** What the issuer says of itself; anything may be there. */
const said = ({ server }: GivenLogin, field: string): unknown =>
  Reflect.get(server.authorizationServerMetadata ?? {}, field)

const namesIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
