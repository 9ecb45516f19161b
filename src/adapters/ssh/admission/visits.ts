import { createBucket, type Bucket } from '../bucket.ts'
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
  /** A connection from there ended before it was let in. */
  failed(network: string): void
}

/** One that is let in costs half of what it cost at first, and one that is not four times as much. */
const REFUND_FOR_LOGIN = -0.5
const PRICE_OF_FAILURE = 3

/** So long a connection waits at most: who shares an address with an attacker still comes in. */
const MAX_DELAY_S = 5

/** Beyond this many networks, the one that nobody came from for the longest time is forgotten. */
const MAX_NETWORKS_KEPT = 10_000

interface Visitor {
  readonly bucket: Bucket
  isKnown: boolean
}

/** Slows networks down that connect often, and those more that fail. Who stops doing it is forgiven within seconds. */
export function createVisits(
  { address_burst: burst, address_per_s: perS }: Pick<SshLimits, 'address_burst' | 'address_per_s'>,
  now?: () => number,
): Visits {
  const visitors = new Map<string, Visitor>()

  function visitorOf(network: string): Visitor {
    const max = burst + MAX_DELAY_S * perS
    const visitor = visitors.get(network) ?? { bucket: createBucket(perS, max, now), isKnown: false }
    // A map keeps the order of adding.
    visitors.delete(network)
    visitors.set(network, visitor)
    const [oldest = ''] = visitors.keys()
    if (visitors.size > MAX_NETWORKS_KEPT) visitors.delete(oldest)
    return visitor
  }

  return {
    begin(network) {
      const { bucket, isKnown } = visitorOf(network)
      return { delayMs: (Math.max(0, bucket.add(1) - burst) / perS) * 1_000, isKnown }
    },
    letIn(network) {
      const visitor = visitorOf(network)
      visitor.isKnown = true
      visitor.bucket.add(REFUND_FOR_LOGIN)
    },
    failed(network) {
      const visitor = visitorOf(network)
      visitor.isKnown = false
      visitor.bucket.add(PRICE_OF_FAILURE)
    },
  }
}
