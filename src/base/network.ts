import ipaddr from 'ipaddr.js'
import { fullAfter, waitFor } from './token-bucket.ts'

export interface Network {
  /** A normalized network such as `10.0.0.0/8`. */
  readonly text: string
  /** The prefix in the form of `addressBits`. */
  readonly bits: string
}

/** A client with one IPv6 address usually has its whole /64 (RFC 6177). */
const LONGEST_IPV6_PREFIX = 64

/** Parses `10.0.0.0/8`, `192.0.2.7` or `2001:db8::/32`; undefined for IPv6 over /64, which is the default. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', length, ...more] = text.split('/')
  const bits = more.length === 0 ? addressBits(address) : undefined
  if (bits === undefined || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined
  const longest = bits.length - FAMILY_LETTERS
  const prefix = length === undefined ? longest : Number(length)
  // IPv4-mapped IPv6 addresses must have no prefix.
  if (prefix > longest || (length !== undefined && isMapped(address))) return undefined
  const kept = bits.slice(0, FAMILY_LETTERS + prefix)
  return { text: `${shownAddress(kept)}/${prefix}`, bits: kept }
}

const FAMILY_LETTERS = 1

/**
 * Returns `4` or `6`, then an address's bits, for IPv6 the first 64. A network contains the addresses that
 * begin with its bits. Also accepts the four groups of an IPv6 /64; undefined for anything else.
 */
export function addressBits(text: string): string | undefined {
  const address = text.replace(/%.*$/, '')
  const whole = /^[\da-f]{1,4}(:[\da-f]{1,4}){3}$/i.test(address) ? `${address}::` : address
  if (!ipaddr.IPv4.isValidFourPartDecimal(whole) && !ipaddr.IPv6.isValid(whole)) return undefined
  const parsed = ipaddr.process(whole)
  const isIpv4 = parsed.kind() === 'ipv4'
  const all = parsed
    .toByteArray()
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
  return isIpv4 ? `4${all}` : `6${all.slice(0, LONGEST_IPV6_PREFIX)}`
}

/** Turns an IPv4-mapped IPv6 address into IPv4. Throws if the text is not an address. */
export const plainAddress = (text: string): string => ipaddr.process(text).toString()

/** Formats the 4 or 16 bytes of an address. */
export const addressOf = (bytes: Uint8Array): string =>
  plainAddress(ipaddr.fromByteArray([...bytes]).toString())

const isMapped = (address: string): boolean =>
  ipaddr.IPv6.isValid(address) && ipaddr.IPv6.parse(address).isIPv4MappedAddress()

function shownAddress(bits: string): string {
  const size = bits.startsWith('4') ? 32 : 128
  const padded = bits.slice(FAMILY_LETTERS).padEnd(size, '0')
  const bytes = Array.from({ length: size / 8 }, (_, at) =>
    Number.parseInt(padded.slice(at * 8, at * 8 + 8), 2),
  )
  return ipaddr.fromByteArray(bytes).toString()
}

/** Returns an IPv4 address, or the four groups of an IPv6 /64, in which a host can choose any address. */
export const networkOf = (address: string): string =>
  ipaddr.IPv6.isValid(address)
    ? ipaddr.IPv6.parse(address)
        .parts.slice(0, 4)
        .map((group) => group.toString(16))
        .join(':')
    : address

/**
 * Tokens charged to a network: in total 0 for a used connection, 1 for a login without use, and 4 for a
 * refused login. After four wrong codes, answers are delayed.
 */
export const COSTS = { connection: 1, use: -1, failure: 3, wrongCode: 10 } as const

/** Limits a delay, so that people who share an attacker's address can still connect. */
const MAX_DELAY_S = 5

/** Beyond this number, the network seen longest ago is forgotten. */
const MAX_NETWORKS = 10_000

interface PaceLimits {
  readonly address_burst: number
  readonly address_per_s: number
}

interface Visitor {
  fullAt: number
  isKnown: boolean
}

/** Slows down networks that connect too often. */
export class NetworkPace {
  readonly #limits: PaceLimits
  readonly #now: () => number
  readonly #visitors = new Map<string, Visitor>()

  constructor(limits: PaceLimits, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
  }

  /** Adds one of `COSTS`. Returns the ms that the network must wait. */
  charge(network: string, cost: number): number {
    const rate = { burst: this.#limits.address_burst, everyMs: 1_000 / this.#limits.address_per_s }
    const visitor = this.#visit(network)
    const now = this.#now()
    const longest = now + rate.burst * rate.everyMs + MAX_DELAY_S * 1_000
    visitor.fullAt = Math.min(longest, fullAfter(visitor.fullAt, now, cost * rate.everyMs))
    return Math.max(0, waitFor(visitor.fullAt, now, rate))
  }

  /** True if the network's last connection logged in. */
  isKnown(network: string): boolean {
    return this.#visitors.get(network)?.isKnown ?? false
  }

  setKnown(network: string, isKnown: boolean): void {
    this.#visit(network).isKnown = isKnown
  }

  #visit(network: string): Visitor {
    const visitor = this.#visitors.get(network) ?? { fullAt: 0, isKnown: false }
    this.#visitors.delete(network)
    this.#visitors.set(network, visitor)
    const [oldest = ''] = this.#visitors.keys()
    if (this.#visitors.size > MAX_NETWORKS) this.#visitors.delete(oldest)
    return visitor
  }
}
