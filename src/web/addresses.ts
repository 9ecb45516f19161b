import { NODATA, NOTFOUND } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { WebError } from '../tools/index.ts'

export interface UrlPolicy {
  readonly ports: readonly number[]
  readonly allowAddress: (address: string) => boolean
  readonly resolve: Resolve
}

/** A checked URL, and the only addresses to connect to. */
export interface Destination {
  readonly url: URL
  readonly addresses: readonly string[]
}

const PROTOCOL_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Checks all that needs no DNS. The URL parser normalizes decimal, octal and hex IPs. Throws `WebError`. */
export function checkUrl(text: string, rules: UrlPolicy, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw new WebError(`${shown(text)} is no address; ${EXAMPLE}`)
  const url = new URL(text, base)
  const usualPort = PROTOCOL_PORTS[url.protocol]
  if (usualPort === undefined)
    throw new WebError(`${url.protocol} addresses cannot be fetched, only http: and https:`)
  if (url.username !== '' || url.password !== '')
    throw new WebError('an address with a user name or password in it is refused; leave them out')
  const port = Number(url.port) || usualPort
  if (!rules.ports.includes(port))
    throw new WebError(`port ${port} is refused; only ${rules.ports.join(' and ')} may be used`)
  url.hostname = url.hostname.replace(/\.$/, '')
  url.hash = ''
  checkHost(url, rules)
  return url
}

const EXAMPLE = 'write it whole, such as https://example.org/page'

/** Refuses names without a dot, which belong to a local network or this machine. */
function checkHost({ hostname }: URL, rules: UrlPolicy): void {
  const literal = literalAddress(hostname)
  const fits = literal === undefined ? hostname.includes('.') : rules.allowAddress(literal)
  if (!fits) throw new WebError(notPublic(hostname))
}

/**
 * Resolves a host. All addresses must be allowed: a name with one private address is a trap. Rejects with
 * `WebError` or the signal's reason.
 */
export async function findDestination(url: URL, rules: UrlPolicy, signal: AbortSignal): Promise<Destination> {
  const literal = literalAddress(url.hostname)
  if (literal !== undefined) return { url, addresses: [literal] }
  const addresses = await rules.resolve(url.hostname, signal)
  if (addresses.length === 0) throw new WebError(`there is no host called ${url.hostname}`)
  if (!addresses.every((address) => rules.allowAddress(address))) throw new WebError(notPublic(url.hostname))
  return { url, addresses }
}

/** Omits the name's addresses, which may belong to a private network. */
const notPublic = (host: string): string =>
  `${host} is refused: it is a private or local address, and only the public web can be read`

function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? undefined : bare
}

const shown = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)

/** Returns a name's addresses, IPv4 first, or none. Rejects with `WebError`, or the signal's reason. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * Queries the name servers (`HOST:PORT`; default: the machine's) directly, so that the hosts file and search
 * domains are ignored, and slow answers do not block the thread pool.
 */
export function createResolver(servers?: readonly string[]): Resolve {
  return async (name, signal) => {
    signal.throwIfAborted()
    const resolver = new Resolver({ timeout: 2000, tries: 2 })
    if (servers) resolver.setServers(servers)
    const cancel = (): void => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
      signal.throwIfAborted()
      return addressesIn(answers, name)
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

/** Allows one address family to be absent. Throws if no name server answered for either family. */
function addressesIn(answers: readonly PromiseSettledResult<string[]>[], name: string): readonly string[] {
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  const known = answers.some((answer) => answer.status === 'fulfilled' || isAbsent(answer.reason))
  if (!known) throw new WebError(`no name server answered for ${name}; try again later`)
  return addresses
}

const isAbsent = (error: NodeJS.ErrnoException): boolean => error.code === NOTFOUND || error.code === NODATA

/** Global unicast (RFC 4291 2.4, IANA's registry), which contains every public IPv6 address. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Azure serves its machines' agents, keys included, on this public-looking address (Microsoft Learn). */
const AZURE_HOST = '168.63.129.16'

/**
 * True for an address of the public internet. False for special-purpose addresses (private, loopback,
 * link-local with the clouds' metadata, shared, multicast, reserved, any IPv4 inside IPv6, tunnels), and for
 * this machine's own, because its firewall would not see the connection.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || address.includes('%')) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return false
  return !ownAddresses().has(parsed.toNormalizedString())
}

function ownAddresses(): ReadonlySet<string> {
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  return new Set([
    AZURE_HOST,
    ...own.map(({ address }) => ipaddr.parse(address.replace(/%.*$/, '')).toNormalizedString()),
  ])
}
