import ipaddr from 'ipaddr.js'
import { fullAfter, waitFor } from './token-bucket.ts'

/** An IPv4 address itself; of an IPv6 address the /64 as four groups, from which a host can choose any address. */
export const networkOf = (address: string): string =>
  ipaddr.IPv6.isValid(address)
    ? ipaddr.IPv6.parse(address)
        .parts.slice(0, 4)
        .map((group) => group.toString(16))
        .join(':')
    : address

/**
 * What a network pays in all: nothing for a connection that is used, 1 for one that only logs in, 4 for one that
 * is refused. After four wrong codes, with the default limits, the answers are late.
 */
export const COSTS = { connection: 1, use: -1, failure: 3, wrongCode: 10 } as const

/** The longest delay: people who share an address with an attacker still come in. */
const MAX_DELAY_S = 5

/** Of more networks, the one that was not seen for the longest time is forgotten. */
const MAX_NETWORKS = 10_000

/** Of the config; asked each time. */
interface PaceLimits {
  readonly address_burst: number
  readonly address_per_s: number
}

interface Visitor {
  /** See token-bucket.ts. */
  fullAt: number
  isKnown: boolean
}

/** Slows down networks that connect too often. A network that stops is served at once after some seconds. */
export class NetworkPace {
  readonly #limits: PaceLimits
  readonly #now: () => number
  /** The latest visitor is the last. */
  readonly #visitors = new Map<string, Visitor>()

  /** `now` gives milliseconds that never go back. */
  constructor(limits: PaceLimits, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
  }

  /** Adds one of `COSTS`. Returns how long the network has to wait, in ms. */
  charge(network: string, cost: number): number {
    const rate = { burst: this.#limits.address_burst, everyMs: 1_000 / this.#limits.address_per_s }
    const visitor = this.#visit(network)
    const now = this.#now()
    const longest = now + rate.burst * rate.everyMs + MAX_DELAY_S * 1_000
    visitor.fullAt = Math.min(longest, fullAfter(visitor.fullAt, now, cost * rate.everyMs))
    return Math.max(0, waitFor(visitor.fullAt, now, rate))
  }

  /** Whether the last connection of the network was let in. */
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
