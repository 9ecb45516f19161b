import { randomBytes, timingSafeEqual } from 'node:crypto'
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
} from '@modelcontextprotocol/client'
import type { McpByUrl } from './config.ts'
import { LoginError, safeAddress } from './login-fetch.ts'
import type { StoredLogin } from './login-store.ts'

/** One login, from the address that a person opens to its tokens. What the SDK finds out is known to it alone. */
export interface LoginAttempt {
  readonly provider: OAuthClientProvider
  /** Where the person logs in. Throws `LoginError`. */
  address(): string
  /** Whether an answer with this `state` belongs to it. */
  isOf(state: string): boolean
  /** Whether its answer may still come. */
  isOpen(): boolean
  /** Whether its answer may still come, or is being exchanged. */
  isUnderWay(): boolean
  /** Takes its answer: another one counts no more. */
  answer(): void
  end(why: string): void
  /** Aborted with a `LoginError`. */
  readonly ended: AbortSignal
}

interface AttemptEvents {
  registered(client: StoredOAuthClientInformation): void
  made(login: StoredLogin): Promise<void>
}

/** How long a person has to log in, in ms. */
export const HOLDS_MS = 10 * 60_000

/** Longer addresses open nowhere. */
const MAX_ADDRESS_CHARS = 4_000

/** `back` is where the browser goes in the end; `known` is what we registered as before. */
export function createAttempt(
  { url, oauth = {} }: McpByUrl,
  back: string,
  known: StoredOAuthClientInformation | undefined,
  events: AttemptEvents,
): LoginAttempt {
  const configured = configuredClient(oauth)
  const state = randomBytes(32).toString('base64url')
  const until = performance.now() + HOLDS_MS
  const ended = new AbortController()
  const found: {
    client?: StoredOAuthClientInformation | undefined
    server?: OAuthDiscoveryState
    resource?: string
    verifier?: string
    opened?: URL
  } = { client: configured ?? (known && comesBackTo(known, back) ? known : undefined) }
  let isAnswered = false
  const isOpen = (): boolean => !isAnswered && until > performance.now()

  const provider: OAuthClientProvider = {
    redirectUrl: back,
    clientMetadata: {
      client_name: 'sshawl',
      redirect_uris: [back],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(oauth.scopes ? { scope: oauth.scopes.join(' ') } : {}),
    },
    state: () => state,
    clientInformation: () => found.client,
    // The secret of the config goes to its issuer or nowhere: if nothing can be saved, the SDK refuses any other.
    ...(configured
      ? {}
      : {
          saveClientInformation(client: StoredOAuthClientInformation) {
            found.client = client
            events.registered(client)
          },
        }),
    // Who logs in again wants other tokens.
    tokens: () => undefined,
    async saveTokens(given) {
      // Without a word on it, the scope is the one that was asked for (RFC 6749, 5.1).
      const scope = given.scope ?? found.opened?.searchParams.get('scope') ?? undefined
      const tokens = { ...given, ...(scope === undefined ? {} : { scope }) }
      const { client, server, resource } = found
      if (client && server) await events.made({ url, tokens, client, server, resource })
    },
    redirectToAuthorization: (opened) => void (found.opened = opened),
    saveCodeVerifier: (verifier) => void (found.verifier = verifier),
    codeVerifier: () => found.verifier ?? '',
    // Without these two, the answer would not be bound to the issuer.
    saveDiscoveryState: (server) => void (found.server = server),
    discoveryState: () => found.server,
    saveResourceUrl: (resource) => void (found.resource = resource),
  }

  return {
    provider,
    address() {
      const { href } = safeAddress(found.opened ?? '', new URL(url))
      if (href.length > MAX_ADDRESS_CHARS) throw new LoginError('the address of its login is too long')
      return href
    },
    isOf: (other) => isSame(state, other),
    isOpen,
    isUnderWay: () => isAnswered || isOpen(),
    answer: () => void (isAnswered = true),
    end: (why) => ended.abort(new LoginError(why)),
    ended: ended.signal,
  }
}

/** What the operator registered by hand. */
function configuredClient({
  clientId,
  clientSecret,
  issuer,
}: NonNullable<McpByUrl['oauth']>): StoredOAuthClientInformation | undefined {
  if (clientId === undefined || issuer === undefined) return undefined
  return {
    client_id: clientId,
    issuer,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
  }
}

/** Whether we said so when we registered. What an operator registered is their business. */
const comesBackTo = (client: StoredOAuthClientInformation, back: string): boolean =>
  !('redirect_uris' in client) || client.redirect_uris.includes(back)

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
