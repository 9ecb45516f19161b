import type { SshLimits } from '../limits.ts'
import { networkOf } from '../../../lib/network-pace.ts'
import { blockOf } from './networks.ts'

/** A connection before its login. */
export interface Stranger {
  /** Its turn has come; it may have come already when `enter` returns. */
  serve(): void
  /** It has to be closed to let others in. */
  giveWay(): void
}

/** Connections before their login. */
export interface Strangers {
  /** Counts one more. */
  enter(address: string, stranger: Stranger): LoginTurn
}

/** What is told of one of them. */
export interface LoginTurn {
  /** It has exchanged keys: that takes work, so it is given more time. */
  keysExchanged(): void
  /** It is over, or logged in. */
  leave(): void
}

/** So long a login may take before it gives way to another one from the same address. Usual ones take less than 1 s. */
const UNDISTURBED_MS = 2_000

/**
 * One that has not exchanged keys may be there to be in the way only. It gives way sooner if many wait, so that their turn comes within
 * about this time, and never sooner than a client needs that is far away. One that has is given twice as long: it may still prove its key.
 */
const QUEUE_MS = 4_000
const SHORTEST_MS = 300
const SHORTEST_WITH_KEYS_MS = 700

interface Entry {
  readonly network: string
  readonly block: string
  readonly stranger: Stranger
  servedAt: number
  hasKeys: boolean
}

/** Those from one network, in order of arrival. */
interface Network {
  readonly served: Set<Entry>
  readonly waiting: Set<Entry>
  timer?: NodeJS.Timeout
}

/**
 * Too many from one network wait for each other, so that several people behind one address all come in; one that takes
 * long gives way to who waits. Too many in all: the oldest from the most crowded network gives way, looked for in the
 * most crowded block of networks. So who is alone on a network comes in, however many connect from elsewhere.
 */
export function createStrangers(
  limits: Pick<SshLimits, 'unauthenticated' | 'unauthenticated_per_address'>,
  now: () => number = () => performance.now(),
): Strangers {
  const networks = new Map<string, Network>()
  /** Those who are served, in order of age. */
  const all = new Set<Entry>()

  function serve(entry: Entry, { served, waiting }: Network): void {
    waiting.delete(entry)
    entry.servedAt = now()
    served.add(entry)
    all.add(entry)
    entry.stranger.serve()
    if (all.size > limits.unauthenticated) send(mostCrowded([...all], now()))
  }

  function leave(entry: Entry): void {
    const network = networks.get(entry.network)
    if (!network) return
    network.waiting.delete(entry)
    network.served.delete(entry)
    all.delete(entry)
    admit(network)
    if (network.served.size > 0) return
    clearTimeout(network.timer)
    networks.delete(entry.network)
  }

  function send(entry: Entry | undefined): void {
    if (!entry) return
    leave(entry)
    entry.stranger.giveWay()
  }

  /** Serves those whose turn it is, and looks again when the oldest of the others has had enough time. */
  function admit(network: Network): void {
    clearTimeout(network.timer)
    const { served, waiting } = network
    for (const entry of waiting) if (served.size < limits.unauthenticated_per_address) serve(entry, network)
    if (waiting.size === 0) return
    const ms = patience(waiting.size)
    const dueAt = ({ hasKeys, servedAt }: Entry): number => servedAt + (hasKeys ? ms.withKeys : ms.without)
    const [next] = [...served].toSorted((one, other) => dueAt(one) - dueAt(other))
    if (!next) return
    const left = dueAt(next) - now()
    if (left <= 0) send(next)
    else network.timer = setTimeout(() => admit(network), left)
  }

  function patience(waiting: number) {
    const fair = (QUEUE_MS * limits.unauthenticated_per_address) / waiting
    const within = (least: number, ms: number): number => Math.min(UNDISTURBED_MS, Math.max(least, ms))
    return { without: within(SHORTEST_MS, fair), withKeys: within(SHORTEST_WITH_KEYS_MS, 2 * fair) }
  }

  return {
    enter(address, stranger) {
      const entry = {
        network: networkOf(address),
        block: blockOf(address),
        stranger,
        servedAt: 0,
        hasKeys: false,
      }
      const network = networks.get(entry.network) ?? { served: new Set(), waiting: new Set() }
      networks.set(entry.network, network)
      network.waiting.add(entry)
      admit(network)
      return {
        keysExchanged() {
          entry.hasKeys = true
        },
        leave: () => leave(entry),
      }
    },
  }
}

/**
 * The oldest of those whose block, and in it whose network, has the most. First come those that had time enough, and of them those that
 * have not exchanged keys: whoever was let in this moment cannot have, and goes last.
 */
function mostCrowded(entries: readonly Entry[], now: number): Entry | undefined {
  const inBlock = busiest(entries, ({ block }) => block)
  const inNetwork = busiest(inBlock, ({ network }) => network)
  const overdue = inNetwork.filter(
    ({ hasKeys, servedAt }) => now - servedAt >= (hasKeys ? SHORTEST_WITH_KEYS_MS : SHORTEST_MS),
  )
  const hasNoKeys = ({ hasKeys }: Entry): boolean => !hasKeys
  const before = inNetwork.slice(0, -1)
  return overdue.find(hasNoKeys) ?? overdue[0] ?? before.find(hasNoKeys) ?? inNetwork[0]
}

/** The largest group; of two as large, the one whose first is older. */
function busiest(entries: readonly Entry[], keyOf: (one: Entry) => string): readonly Entry[] {
  const groups = new Map<string, Entry[]>()
  for (const one of entries) {
    const group = groups.get(keyOf(one))
    if (group) group.push(one)
    else groups.set(keyOf(one), [one])
  }
  let found: readonly Entry[] = []
  for (const group of groups.values()) if (group.length > found.length) found = group
  return found
}
