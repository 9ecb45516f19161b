import { isDeepStrictEqual } from 'node:util'
import { join } from 'node:path'
import type { ClientCredentialsProvider } from '@modelcontextprotocol/client'
import type { Log } from '../../chat/ports.ts'
import { isMcpName, type McpByUrl, type McpServerConfig } from './config.ts'
import { createLoginFetch, LoginError, revoke, whyFailed, type Challenge } from './login-fetch.ts'
import { deleteLogin, readLogin } from './login-store.ts'
import { ServerLogin, type McpLogin } from './oauth-login.ts'

interface McpLoginsOptions {
  /** The directory in which they are kept; made with the first one. */
  readonly dir: string
  /** Where a browser goes in the end, unless the config of a server says otherwise. */
  readonly back: () => string
  readonly log: Log
}

/** The logins at all servers. */
export interface McpLogins {
  /** The same as long as the server is the same; undefined for a program, and for a server that has a token. */
  of(config: Pick<McpServerConfig, 'name' | 'reach'>): McpLogin | undefined
  /** The name of the server whose login was begun with this `state`. */
  begunWith(state: string): string | undefined
  /**
   * Logs out of what is kept under a name, whichever server it was for. Never rejects. Undefined if nothing is kept;
   * `why` its tokens may still hold.
   */
  forget(name: string): Promise<{ readonly why?: string | undefined } | undefined>
}

export function createMcpLogins({ dir, back, log }: McpLoginsOptions): McpLogins {
  const made = new Map<string, { readonly reach: McpByUrl; readonly login: McpLogin }>()

  return {
    of({ name, reach }) {
      if ('command' in reach || hasToken(reach)) return undefined
      const before = made.get(name)
      if (before && isDeepStrictEqual(before.reach, reach)) return before.login
      const login = isOwn(reach)
        ? createOwnLogin(reach)
        : new ServerLogin({ name, reach, file: join(dir, `${name}.json`), back, log })
      made.set(name, { reach, login })
      return login
    },
    begunWith: (state) => [...made].find(([, { login }]) => login.isBegun(state))?.[0],
    async forget(name) {
      if (!isMcpName(name)) return undefined
      const file = join(dir, `${name}.json`)
      const kept = await readLogin(file).catch(() => 'damaged' as const)
      const own = made.get(name)
      const why = await own?.login.logout()
      if (kept === undefined) return undefined
      if (kept !== 'damaged' && own && !isOwn(own.reach) && own.reach.url === kept.url) return { why }
      try {
        await deleteLogin(file)
      } catch {
        return { why: `its file cannot be removed: remove ${file}` }
      }
      if (kept === 'damaged') return { why: 'its file was damaged, so its tokens hold until they expire' }
      return { why: await revoke(kept, createLoginFetch({ url: kept.url })) }
    },
  }
}

const hasToken = ({ headers = {} }: McpByUrl): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')

const isOwn = ({ oauth }: McpByUrl): boolean => oauth?.grant === 'client_credentials'

/** A login that needs no person (RFC 6749, 4.4): the secret of the config gives a token whenever one is wanted. */
function createOwnLogin(reach: McpByUrl): McpLogin {
  const { clientId = '', clientSecret = '', issuer = '', scopes } = reach.oauth ?? {}
  const fetchFn = createLoginFetch(reach)
  const scope = scopes?.join(' ')
  let provider: ClientCredentialsProvider | undefined
  let challenge: Challenge = {}
  let renewing: Promise<void> | undefined

  async function renew(): Promise<void> {
    const { auth, ClientCredentialsProvider: Provider } = await import('@modelcontextprotocol/client')
    provider ??= new Provider({
      ...{ clientId, clientSecret, expectedIssuer: issuer, clientName: 'sshawl' },
      ...(scope === undefined ? {} : { scope }),
    })
    try {
      await auth(provider, { serverUrl: reach.url, ...challenge, scope: scope ?? challenge.scope, fetchFn })
    } catch (error) {
      throw new LoginError(`it could not log in: ${whyFailed(error)}`, { cause: error })
    }
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
    wants: (wanted) => void (challenge = { ...challenge, scope: wanted }),
    state: () => (provider?.tokens() ? 'held' : 'none'),
    secrets: () => [clientSecret, provider?.tokens()?.access_token ?? ''],
    begin: async () => await Promise.reject(new LoginError(BY_ITSELF)),
    isBegun: () => false,
    isUnderWay: () => false,
    finish: async () => await Promise.reject(new LoginError(BY_ITSELF)),
    async logout() {
      provider = undefined
      return BY_ITSELF
    },
  }
}

const BY_ITSELF = 'it logs in by itself, with the secret that the config names (grant = "client_credentials")'
