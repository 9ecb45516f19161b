import { LoginError } from './login.ts'
import type { createLoginFetch } from './login-fetch.ts'
import type { KeptLogin } from './login-file.ts'
import { loginError } from './trouble.ts'

/** Asks for tokens to hold no more (RFC 7009). Resolves to why they may still do; undefined where they do not. */
export async function revoke(
  { tokens, client, server }: KeptLogin,
  fetchFn: ReturnType<typeof createLoginFetch>,
): Promise<string | undefined> {
  const endpoint: unknown = Reflect.get(server.authorizationServerMetadata ?? {}, 'revocation_endpoint')
  if (typeof endpoint !== 'string')
    return 'whoever gave the tokens takes none back, so they hold until they expire'
  const { client_id, client_secret } = client
  const body = new URLSearchParams({
    token: tokens.refresh_token ?? tokens.access_token,
    client_id,
    ...(client_secret === undefined ? {} : { client_secret }),
  })
  try {
    await fetchFn(endpoint, { method: 'POST', body })
    return undefined
  } catch (error) {
    if (!(error instanceof LoginError)) throw error
    return `the tokens could not be taken back, so they hold until they expire: ${loginError(error).message}`
  }
}
