import { blockOf, networkOf } from './networks.ts'
import type { SshLimits } from './limits.ts'

/** Connections before their login. */
export interface Strangers {
  /**
   * Counts one more. Where that is one too many, another one has to give way: its `giveWay` is called. The function
   * returned takes the new one out again.
   */
  enter(address: string, giveWay: () => void): () => void
}

interface Stranger {
  readonly network: string
  readonly block: string
  readonly giveWay: () => void
}

/**
 * Too many from one network: its oldest gives way. Too many in all: the oldest from the most crowded network gives way,
 * looked for in the most crowded block of networks. So who is alone on a network comes in, however many connect from
 * elsewhere, as long as the login takes less time than it takes the others to fill all places again.
 */
export function createStrangers(limits: Pick<SshLimits, 'unauthenticated' | 'unauthenticated_per_address'>): Strangers {
  /** In order of age. */
  const all = new Set<Stranger>()
  const inNetwork = new Map<string, number>()

  function change(network: string, by: 1 | -1): number {
    const count = (inNetwork.get(network) ?? 0) + by
    if (count > 0) inNetwork.set(network, count)
    else inNetwork.delete(network)
    return count
  }

  function leave(stranger: Stranger): void {
    if (all.delete(stranger)) change(stranger.network, -1)
  }

  function send(stranger: Stranger | undefined): void {
    if (!stranger) return
    leave(stranger)
    stranger.giveWay()
  }

  return {
    enter(address, giveWay) {
      const stranger = { network: networkOf(address), block: blockOf(address), giveWay }
      all.add(stranger)
      const count = change(stranger.network, 1)
      if (count > limits.unauthenticated_per_address)
        send([...all].find(({ network }) => network === stranger.network))
      else if (all.size > limits.unauthenticated) send(mostCrowded([...all]))
      return () => leave(stranger)
    },
  }
}

/** The first of those whose block, and in it whose network, has the most. */
function mostCrowded(strangers: readonly Stranger[]): Stranger | undefined {
  const inBlock = busiest(strangers, ({ block }) => block)
  const [first] = busiest(inBlock, ({ network }) => network)
  return first
}

/** The largest group; of two as large, the one whose first is older. */
function busiest(strangers: readonly Stranger[], keyOf: (one: Stranger) => string): readonly Stranger[] {
  const groups = new Map<string, Stranger[]>()
  for (const one of strangers) {
    const group = groups.get(keyOf(one))
    if (group) group.push(one)
    else groups.set(keyOf(one), [one])
  }
  let found: readonly Stranger[] = []
  for (const group of groups.values()) if (group.length > found.length) found = group
  return found
}
