import { createBucket, type Bucket } from './bucket.ts'
import type { SshLimits } from '../limits.ts'

/** What is remembered of each network. */
export interface Visits {
  /**
   * Somebody connects. `delayMs` is how long the connection has to wait before it is served. `isKnown`: the last
   * connection from there was let in.
   */
  begin(network: string): { readonly delayMs: number; readonly isKnown: boolean }
  /** A connection from there was let in. */
  letIn(network: string): void
  /** A connection from there was let in, only to be told why it may do nothing. */
  refused(network: string): void
  /** A connection that was let in has opened its first channel. */
  used(network: string): void
  /** A wrong invite code came from there. How long its answer has to wait, in ms. */
  wrongCode(network: string): number
  /** A connection from there ended before it was let in. */
  failed(network: string): void
}

/** A connection that is used costs nothing, one that only comes and goes costs one, and one that is not let in, or refused, four. */
const REFUND_FOR_USE = -1
const PRICE_OF_FAILURE = 3

/** A wrong invite code costs much more: after four of them from one network, with the defaults, the answers are late. */
const PRICE_OF_WRONG_CODE = 10

/** So long a connection waits at most: who shares an address with an attacker still comes in. */
const MAX_DELAY_S = 5

/** Beyond this many networks, the one that nobody came from for the longest time is forgotten. */
const MAX_NETWORKS_KEPT = 10_000

interface Visitor {
  readonly bucket: Bucket
  isKnown: boolean
}

/**
 * Slows networks down whose connections come and go without a use, and those more that fail to log in. A network that
 * stops is served at once again after a few seconds.
 */
export function createVisits(
  limits: Pick<SshLimits, 'address_burst' | 'address_per_s'>,
  now?: () => number,
): Visits {
  const visitors = new Map<string, Visitor>()

  function visitorOf(network: string): Visitor {
    const { address_burst: burst, address_per_s: perS } = limits
    const max = burst + MAX_DELAY_S * perS
    const visitor = visitors.get(network) ?? { bucket: createBucket(perS, max, now), isKnown: false }
    // A map keeps the order of adding.
    visitors.delete(network)
    visitors.set(network, visitor)
    const [oldest = ''] = visitors.keys()
    if (visitors.size > MAX_NETWORKS_KEPT) visitors.delete(oldest)
    return visitor
  }

  /** How long a network waits with so much in its bucket. */
  function delayAt(level: number): number {
    const { address_burst: burst, address_per_s: perS } = limits
    return (Math.max(0, level - burst) / perS) * 1_000
  }

  return {
    begin(network) {
      const { bucket, isKnown } = visitorOf(network)
      return { delayMs: delayAt(bucket.add(1)), isKnown }
    },
    wrongCode: (network) => delayAt(visitorOf(network).bucket.add(PRICE_OF_WRONG_CODE)),
    letIn(network) {
      visitorOf(network).isKnown = true
    },
    refused(network) {
      const visitor = visitorOf(network)
      visitor.isKnown = true
      visitor.bucket.add(PRICE_OF_FAILURE)
    },
    used(network) {
      visitorOf(network).bucket.add(REFUND_FOR_USE)
    },
    failed(network) {
      const visitor = visitorOf(network)
      visitor.isKnown = false
      visitor.bucket.add(PRICE_OF_FAILURE)
    },
  }
}
