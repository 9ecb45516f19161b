/** The `[bus]` config of NATS; keys are named as in the file. */
export interface BusConfig {
  /** A URL for `natsAddress`. May contain a password, so it is never shown. */
  readonly url: string
  /** The first words of each subject, so that clusters can share one NATS. */
  readonly prefix: string
  /** The absolute path of a file with a user's JWT and seed, or the seed of an nkey. */
  readonly credentials?: string
}

export interface NatsAddress {
  /** `HOST:PORT` of each server. */
  readonly servers: readonly string[]
  /** True if nothing is sent without TLS. */
  readonly isEncrypted: boolean
  /** Used for all servers. */
  readonly login?: { readonly user: string; readonly pass: string } | { readonly token: string }
}

/** Credentials of a user: a JWT with its seed, as `nsc` writes them, or the seed of an nkey. */
export const HAS_JWT = /^-+BEGIN NATS USER JWT-+$/m
export const NKEY_SEED = /^SU[A-Z2-7]{56}$/m

export const NATS_EXAMPLE = 'nats://nats.example.org:4222'

const DEFAULT_PORT = '4222'

/**
 * Reads `nats://HOST:PORT`, `tls://…` or a comma-separated list, whose later URLs need no scheme, with a
 * login `USER:PASSWORD@` or token `TOKEN@`. Returns undefined for anything else and for different logins.
 */
export function natsAddress(text: string): NatsAddress | undefined {
  const scheme = /^[a-z]+:\/\//.exec(text)?.[0] ?? ''
  const parts = text.split(',').map((part) => part.trim())
  const urls = parts.map((part) => serverUrl(part.includes('://') ? part : scheme + part))
  if (!urls.every((url) => url !== undefined)) return undefined
  const withLogin = urls.filter(({ username }) => username !== '')
  if (new Set(withLogin.map(loginText)).size > 1) return undefined
  const [first] = withLogin
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || DEFAULT_PORT}`),
    isEncrypted: urls.some(({ protocol }) => protocol === 'tls:'),
    ...(first ? { login: loginOf(first) } : {}),
  }
}

function serverUrl(text: string): URL | undefined {
  if (!/^(nats|tls):\/\/[^\s/?#]+\/?$/.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const hasLogin = url.username !== '' || url.password === ''
  return url.hostname !== '' && hasLogin && isDecodable(loginText(url)) ? url : undefined
}

const loginText = ({ username, password }: URL): string => `${username}:${password}`

function loginOf({ username, password }: URL): NonNullable<NatsAddress['login']> {
  const user = decodeURIComponent(username)
  return password === '' ? { token: user } : { user, pass: decodeURIComponent(password) }
}

/** False if a percent sign in a password is not written as %25. */
function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}
