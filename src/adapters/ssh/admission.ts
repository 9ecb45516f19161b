import type { SshLimits } from './limits.ts'
import { createQuota, takeAll } from './quota.ts'

/** Counts one more connection from an address; undefined, and nothing counted, when it would be one too many. */
export type Admit = (address: string) => Admitted | undefined

/** A connection that was accepted. */
export interface Admitted {
  /**
   * Whether the last connection from the same network was let in. Then its client needs no banner: it would print the
   * banner each time, and a script's standard error is for its own trouble. A network becomes known whatever name was
   * asked for.
   */
  readonly isKnown: boolean
  /** To be called when its client is let in: from now on it does not count as waiting for the login. */
  loggedIn(): void
  /** To be called when it is closed. */
  closed(): void
}

/** Limits how many connections there are at once, in all and from each network, and how many before their login. */
export function createAdmission(limits: SshLimits): Admit {
  const total = createQuota(() => limits.connections)
  const perNetwork = createQuota(() => limits.connections_per_address)
  const waitingTotal = createQuota(() => limits.unauthenticated)
  const waitingPerNetwork = createQuota(() => limits.unauthenticated_per_address)
  const known = new Set<string>()
  return (address) => {
    const network = networkOf(address)
    const connection = takeAll([total, ''], [perNetwork, network])
    if (!connection) return undefined
    const waiting = takeAll([waitingTotal, ''], [waitingPerNetwork, network])
    if (!waiting) return (connection(), undefined)
    let isLoggedIn = false
    return {
      isKnown: known.has(network),
      loggedIn() {
        isLoggedIn = true
        remember(known, network)
        waiting()
      },
      closed() {
        if (!isLoggedIn) known.delete(network)
        waiting()
        connection()
      },
    }
  }
}

/** Beyond this many known networks, the one that nobody came from for the longest time is forgotten. */
const MAX_KNOWN_NETWORKS = 10_000

function remember(known: Set<string>, network: string): void {
  // A set keeps the order of adding.
  known.delete(network)
  known.add(network)
  const [oldest = ''] = known
  if (known.size > MAX_KNOWN_NETWORKS) known.delete(oldest)
}

/** One IPv4 address, or the /64 that an IPv6 host can choose its address from. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail ? tail.split(':') : []
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0')
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':')
}
