import { randomBytes, timingSafeEqual } from 'node:crypto'
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
} from '@modelcontextprotocol/client'
import type { McpByUrl } from '../config.ts'
import { LoginError } from './login.ts'
import type { GivenLogin } from './login-file.ts'
import { needSafe } from './safe-address.ts'

/** What an attempt is made with. */
export interface AttemptParts {
  readonly reach: McpByUrl
  /** To where the browser goes in the end. */
  readonly back: string
  /** What the server was registered with before. */
  readonly client: StoredOAuthClientInformation | undefined
  /** Who gives the tokens, as far as that is known before. */
  readonly giver: OAuthDiscoveryState | undefined
  registered(client: StoredOAuthClientInformation): void
  keep(login: GivenLogin): Promise<void>
}

/** One login, from the address that a person opens to the tokens. */
export interface Attempt {
  readonly provider: OAuthClientProvider
  /** Where it is to be opened. Throws `LoginError`. */
  address(): string
  /** Whether an answer with this `state` is one to it. */
  isOf(state: string): boolean
}

/** Longer ones can be opened nowhere. */
const MAX_ADDRESS_CHARS = 4_000

/** What the SDK asks for and finds out in between is known to this attempt alone, so that no two are mixed up. */
export function createAttempt({ reach, back, client, giver, registered, keep }: AttemptParts): Attempt {
  const { oauth = {} } = reach
  const configured = clientOf(oauth)
  const state = randomBytes(32).toString('base64url')
  let known = configured ?? client
  let opened: URL | undefined
  let verifier = ''
  let server = giver
  let resource: string | undefined

  const provider: OAuthClientProvider = {
    redirectUrl: back,
    clientMetadata: {
      client_name: 'sshawl',
      redirect_uris: [back],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(oauth.scopes === undefined ? {} : { scope: oauth.scopes.join(' ') }),
    },
    state: () => state,
    clientInformation: () => known,
    // A secret that the config names goes to its issuer or nowhere.
    ...(configured
      ? {}
      : {
          saveClientInformation(made: StoredOAuthClientInformation) {
            known = made
            registered(made)
          },
        }),
    // Whoever logs in again wants another one.
    tokens: () => undefined,
    async saveTokens(given) {
      // No word on it means: what was asked for (RFC 6749, 5.1).
      const scope = given.scope ?? opened?.searchParams.get('scope') ?? undefined
      const tokens = { ...given, ...(scope === undefined ? {} : { scope }) }
      if (known && server) await keep({ url: reach.url, tokens, client: known, server, resource })
    },
    redirectToAuthorization: (url) => void (opened = url),
    saveCodeVerifier: (made) => void (verifier = made),
    codeVerifier: () => verifier,
    saveDiscoveryState: (found) => void (server = found),
    discoveryState: () => server,
    saveResourceUrl: (found) => void (resource = found),
  }

  return {
    provider,
    address() {
      const url = needSafe(opened ?? '', new URL(reach.url))
      if (url.href.length > MAX_ADDRESS_CHARS) throw new LoginError('the address of its login is too long')
      return url.href
    },
    isOf: (other) => isSame(state, other),
  }
}

/** What the operator registered by hand. */
const clientOf = ({
  clientId,
  clientSecret,
  issuer,
}: NonNullable<McpByUrl['oauth']>): StoredOAuthClientInformation | undefined =>
  clientId === undefined || issuer === undefined
    ? undefined
    : { client_id: clientId, issuer, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) }

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
