import type { ClientCredentialsProvider } from '@modelcontextprotocol/client'
import type { McpByUrl } from '../config.ts'
import { masked, remember } from '../secrets.ts'
import { LoginError, type Challenge, type McpLogin } from './login.ts'
import { createLoginFetch } from './login-fetch.ts'
import { loginError } from './trouble.ts'

/** A login that needs no person (RFC 6749, 4.4): the secret of the config gives a token each time that one is wanted. */
export function createOwnLogin(reach: McpByUrl): McpLogin {
  const { clientId = '', clientSecret = '', issuer = '', scopes } = reach.oauth ?? {}
  const fetchFn = createLoginFetch(reach)
  const secrets = new Set([clientSecret])
  let provider: ClientCredentialsProvider | undefined
  let challenge: Challenge = {}
  let renewing: Promise<void> | undefined

  async function renew(): Promise<void> {
    const { auth, ClientCredentialsProvider: Provider } = await import('@modelcontextprotocol/client')
    const scope = scopes?.join(' ')
    provider ??= new Provider({
      ...{ clientId, clientSecret, expectedIssuer: issuer, clientName: 'sshawl' },
      ...(scope === undefined ? {} : { scope }),
    })
    try {
      await auth(provider, { serverUrl: reach.url, ...challenge, scope: scope ?? challenge.scope, fetchFn })
    } catch (error) {
      throw new LoginError(`it could not log in: ${loginError(error).message}`, { cause: error })
    }
    remember(secrets, [clientSecret, provider.tokens()?.access_token])
  }

  return {
    auth: {
      token: async () => provider?.tokens()?.access_token,
      async onUnauthorized({ response }) {
        const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
        challenge = { scope: challenge.scope, ...extractWWWAuthenticateParams(response) }
        await response.body?.cancel()
        renewing ??= renew().finally(() => (renewing = undefined))
        await renewing
      },
    },
    answered() {},
    wants: (scope) => void (challenge = { ...challenge, scope }),
    state: () => (provider?.tokens() ? 'held' : 'none'),
    masked: (text) => masked(text, [...secrets]),
    secrets: () => [...secrets],
    begin: async () => await Promise.reject(new LoginError(BY_ITSELF)),
    isBegun: () => false,
    isUnderWay: () => false,
    finish: async () => await Promise.reject(new LoginError(BY_ITSELF)),
    async leave() {
      provider = undefined
      return BY_ITSELF
    },
  }
}

const BY_ITSELF = 'it logs in by itself, with the secret that the config names (grant = "client_credentials")'
