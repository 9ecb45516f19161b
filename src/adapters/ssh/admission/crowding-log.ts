import type { Log } from '../../../chat/ports.ts'
import { networkOf } from '../../../lib/network-pace.ts'

/** So often it is told at most of one network, in ms. */
const TOLD_MS = 60_000

/** Of more networks in that time nothing is told: a log must not be what an attacker fills. */
const MAX_NETWORKS = 1_000

/** Says in the log that connections were closed because there were too many: of each network at once, and then once a minute. */
export function createCrowdingLog(
  log: Pick<Log, 'warn'>,
  now: () => number = () => performance.now(),
): (address: string, why: string) => void {
  /** When each was told of, the earliest first. */
  const toldAt = new Map<string, number>()
  return (address, why) => {
    const network = networkOf(address)
    for (const [other, at] of toldAt) {
      if (now() - at < TOLD_MS) break
      toldAt.delete(other)
    }
    if (toldAt.has(network) || toldAt.size >= MAX_NETWORKS) return
    toldAt.set(network, now())
    log.warn({ address, why }, 'connections are turned away')
  }
}
