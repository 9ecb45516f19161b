import { LoginError, LoginNeeded } from './login.ts'
import { RefusedLogin, type LoginFetch } from './login-fetch.ts'
import type { KeptLogin } from './login-file.ts'
import { loginError } from './trouble.ts'

/** A login is worth nothing any more; `isClient`: nor is what we are registered as. */
export class LoginEnded extends LoginNeeded {
  readonly isClient: boolean
  constructor(message: string, isClient: boolean) {
    super(message)
    this.isClient = isClient
  }
}

/** Errors after which that is so (RFC 6749, 5.2). */
const ENDED: readonly (string | undefined)[] = ['invalid_grant', 'invalid_client', 'unauthorized_client']

/**
 * The next tokens of a login. Rejects with `LoginEnded` where there are none any more, and with `LoginError` where there may be
 * later. `how` is what to do then.
 */
export async function renewed(
  { tokens, client, server, resource }: KeptLogin,
  fetchFn: LoginFetch,
  how: string,
): Promise<KeptLogin['tokens']> {
  if (tokens.refresh_token === undefined)
    throw new LoginEnded(`its login has ended, and cannot be renewed: ${how}`, false)
  const { refreshAuthorization } = await import('@modelcontextprotocol/client')
  try {
    const next = await refreshAuthorization(server.authorizationServerUrl, {
      metadata: server.authorizationServerMetadata,
      clientInformation: client,
      refreshToken: tokens.refresh_token,
      resource,
      fetchFn,
    })
    // No word on it means: as before (RFC 6749, 6).
    const scope = next.scope ?? tokens.scope
    return { ...next, ...(scope === undefined ? {} : { scope }), issuer: tokens.issuer }
  } catch (error) {
    if (error instanceof RefusedLogin && ENDED.includes(error.code))
      throw new LoginEnded(`its login has ended (${error.message}): ${how}`, error.code !== 'invalid_grant')
    throw new LoginError(`its login could not be renewed: ${loginError(error).message}`, { cause: error })
  }
}
