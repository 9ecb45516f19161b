import { isIP } from 'node:net'
import { WebError } from '../../tools/web.ts'
import type { Resolve } from './resolver.ts'

/** Where a request may go. */
export interface Rules {
  readonly ports: readonly number[]
  readonly allowAddress: (address: string) => boolean
  readonly resolve: Resolve
}

/** A checked address, and the only machines that a connection for it may be made to. */
export interface Destination {
  readonly url: URL
  readonly addresses: readonly string[]
}

const PROTOCOL_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/**
 * Parses an address and checks all that can be known without asking a name server. The parser is the one of the
 * URL standard: it turns decimal, octal and hexadecimal hosts into dotted quads before they are checked. Throws `WebError`.
 */
export function checkUrl(text: string, rules: Rules, base?: URL): URL {
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

/** A name without a dot belongs to a local network or to this machine. */
function checkHost({ hostname }: URL, rules: Rules): void {
  const literal = literalAddress(hostname)
  const fits = literal === undefined ? hostname.includes('.') : rules.allowAddress(literal)
  if (!fits) throw new WebError(notPublic(hostname))
}

/**
 * Finds the machines behind an address. Every one of them must be allowed: a name that has one private address is
 * a trap even if the others are not. Rejects with `WebError`, or with the signal's reason.
 */
export async function findDestination(url: URL, rules: Rules, signal: AbortSignal): Promise<Destination> {
  const literal = literalAddress(url.hostname)
  if (literal !== undefined) return { url, addresses: [literal] }
  const addresses = await rules.resolve(url.hostname, signal)
  if (addresses.length === 0) throw new WebError(`there is no host called ${url.hostname}`)
  if (!addresses.every((address) => rules.allowAddress(address))) throw new WebError(notPublic(url.hostname))
  return { url, addresses }
}

/** The message holds no address that a name has: it may be one of somebody's network. */
const notPublic = (host: string): string =>
  `${host} is refused: it is a private or local address, and only the public web can be read`

function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? undefined : bare
}

const shown = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
