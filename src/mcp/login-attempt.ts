import { randomBytes, timingSafeEqual } from 'node:crypto'
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
} from '@modelcontextprotocol/client'
import type { McpByUrl, McpOAuth } from './config.ts'
import { LoginError, safeAddress } from './login-fetch.ts'
import type { StoredLogin } from './login-store.ts'

interface AttemptEvents {
  registered(client: StoredOAuthClientInformation): void
  made(login: StoredLogin): Promise<void>
}

/** Milliseconds that a person has to log in. */
export const LOGIN_MS = 10 * 60_000

const MAX_ADDRESS_CHARS = 4_000

export type LoginAttempt = ReturnType<typeof createAttempt>

/** One login of a person. Finally the browser is sent to `back`; `known` is an earlier registration. */
export function createAttempt(
  { url, oauth = {} }: McpByUrl,
  back: string,
  known: StoredOAuthClientInformation | undefined,
  events: AttemptEvents,
) {
  const configured = configuredClient(oauth)
  // The issuer refuses a client that was registered for another address.
  const isKnown = known && (!('redirect_uris' in known) || known.redirect_uris.includes(back))
  const found: {
    client?: StoredOAuthClientInformation | undefined
    server?: OAuthDiscoveryState
    resource?: string
    verifier?: string
    opened?: URL
  } = { client: configured ?? (isKnown ? known : undefined) }
  const ownState = randomBytes(32).toString('base64url')
  const until = performance.now() + LOGIN_MS
  const ended = new AbortController()
  let isAnswered = false
  const isOpen = (): boolean => !isAnswered && until > performance.now()
  function register(client: StoredOAuthClientInformation): void {
    found.client = client
    events.registered(client)
  }

  const provider: OAuthClientProvider = {
    redirectUrl: back,
    clientMetadata: metadataOf(back, oauth),
    state: () => ownState,
    clientInformation: () => found.client,
    // Without this function, the SDK accepts only the configured client; so only its issuer gets the secret.
    ...(configured ? {} : { saveClientInformation: register }),
    tokens: () => undefined,
    async saveTokens(given) {
      // An answer without a scope grants the requested scope (RFC 6749, 5.1).
      const scope = given.scope ?? found.opened?.searchParams.get('scope') ?? undefined
      const tokens = { ...given, ...(scope === undefined ? {} : { scope }) }
      const { client, server, resource } = found
      if (client && server) await events.made({ url, tokens, client, server, resource })
    },
    redirectToAuthorization: (opened) => void (found.opened = opened),
    saveCodeVerifier: (verifier) => void (found.verifier = verifier),
    codeVerifier: () => found.verifier ?? '',
    // These two functions bind the answer to the issuer.
    saveDiscoveryState: (server) => void (found.server = server),
    discoveryState: () => found.server,
    saveResourceUrl: (resource) => void (found.resource = resource),
  }

  return {
    provider,
    /** Throws `LoginError`. */
    address(): string {
      const { href } = safeAddress(found.opened ?? '', new URL(url))
      if (href.length > MAX_ADDRESS_CHARS) throw new LoginError('the address of its login is too long')
      return href
    },
    isOf(state: string): boolean {
      const [own, other] = [Buffer.from(ownState), Buffer.from(state)]
      return own.length === other.length && timingSafeEqual(own, other)
    },
    /** True if the browser's answer may still come. */
    isOpen,
    /** True if the browser's answer may still come, or is being exchanged for tokens. */
    isUnderWay: () => isAnswered || isOpen(),
    /** Marks this login as answered: no other answer counts. */
    answer: () => void (isAnswered = true),
    end: (why: string) => ended.abort(new LoginError(why)),
    get ended(): AbortSignal {
      return ended.signal
    },
  }
}

function configuredClient(oauth: McpOAuth): StoredOAuthClientInformation | undefined {
  const { clientId, clientSecret, issuer } = oauth
  if (clientId === undefined || issuer === undefined) return undefined
  const secret = clientSecret === undefined ? {} : { client_secret: clientSecret }
  return { client_id: clientId, issuer, ...secret }
}

const metadataOf = (back: string, { scopes }: McpOAuth) => ({
  client_name: 'sshawl',
  redirect_uris: [back],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  ...(scopes ? { scope: scopes.join(' ') } : {}),
})
