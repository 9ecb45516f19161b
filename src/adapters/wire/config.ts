/** Where NATS is; keys have the names that they have in the file. */
export interface BusConfig {
  /** It passes `natsAddress`. It may hold a password, and is shown nowhere. */
  readonly url: string
  /** Stands before each subject, so that several clusters can share one NATS. */
  readonly prefix: string
  /** The absolute path of a file that holds a user's JWT and seed, or the seed of an nkey. */
  readonly credentials?: string
}

/** What a URL says. */
export interface NatsAddress {
  /** `HOST:PORT` of each server. */
  readonly servers: readonly string[]
  /** True where nothing is sent without TLS. */
  readonly isEncrypted: boolean
  /** A user with a password, or a token; the same for all servers. */
  readonly login?: { readonly user: string; readonly pass: string } | { readonly token: string }
}

/** What a file with credentials holds: a user's JWT with its seed as `nsc` writes them, or the seed of a user's nkey. */
export const HAS_JWT = /^-+BEGIN NATS USER JWT-+$/m
export const NKEY_SEED = /^SU[A-Z2-7]{56}$/m

/** What a URL of NATS looks like. */
export const NATS_EXAMPLE = 'nats://nats.example.org:4222'

const DEFAULT_PORT = '4222'

/**
 * Reads `nats://HOST:PORT` or `tls://…`, or several with commas between them, of which the later ones need no scheme. As NATS'
 * own programs take it, `USER:PASSWORD@` is a login and `TOKEN@` a token. Undefined for anything else, also for servers with
 * different logins.
 */
export function natsAddress(text: string): NatsAddress | undefined {
  const parts = text.split(',').map((part) => part.trim())
  const scheme = /^[a-z]+:\/\//.exec(text)?.[0] ?? ''
  const urls = parts.map((part) => serverUrl(part.includes('://') ? part : scheme + part))
  if (!urls.every((url) => url !== undefined)) return undefined
  const logins = new Set(urls.filter(({ username }) => username !== '').map(loginText))
  const first = urls.find(({ username }) => username !== '')
  if (logins.size > 1) return undefined
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || DEFAULT_PORT}`),
    isEncrypted: urls.some(({ protocol }) => protocol === 'tls:'),
    ...(first ? { login: loginOf(first) } : {}),
  }
}

function serverUrl(text: string): URL | undefined {
  if (!/^(nats|tls):\/\/[^\s/?#]+\/?$/.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.hostname !== '' && isDecodable(url) && (url.username !== '' || url.password === '')
    ? url
    : undefined
}

const loginText = ({ username, password }: URL): string => `${username}:${password}`

function loginOf({ username, password }: URL): NonNullable<NatsAddress['login']> {
  const user = decodeURIComponent(username)
  return password === '' ? { token: user } : { user, pass: decodeURIComponent(password) }
}

/** False where a percent sign of a password was left as it is. */
function isDecodable(url: URL): boolean {
  try {
    decodeURIComponent(loginText(url))
    return true
  } catch {
    return false
  }
}
