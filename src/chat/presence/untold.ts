import type { PresenceChange } from './held-presence.ts'
import { netOf } from './sum.ts'

/** Comings and goings that could not be stored, in their order, until they can be. */
export interface Untold {
  /** False also while those that were taken are not settled. */
  isEmpty(): boolean
  add(change: PresenceChange): void
  /** All of them, to be stored; none while others that were taken are not settled. */
  take(): readonly PresenceChange[]
  /** Those that were taken are stored, but for these. */
  settle(failed: readonly PresenceChange[]): void
}

/** Of more than this, those of people who came and went again, or went and came again, are forgotten. */
const MAX_WHOLE = 1_000

/** What it keeps is bounded by `MAX_WHOLE` and by the people who are here, or were when the trouble began. */
export function createUntold(): Untold {
  let waiting: PresenceChange[] = []
  let taken: readonly PresenceChange[] = []
  let limit = MAX_WHOLE

  function keep(changes: PresenceChange[]): void {
    waiting = changes
    if (waiting.length <= limit) return
    waiting = netOf(waiting)
    // Where hardly any are forgotten, the next look is not taken at each change.
    limit = Math.max(MAX_WHOLE, 2 * waiting.length)
  }

  return {
    isEmpty: () => waiting.length + taken.length === 0,
    add(change) {
      waiting.push(change)
      keep(waiting)
    },
    take() {
      if (taken.length > 0) return []
      taken = waiting
      waiting = []
      return taken
    },
    settle(failed) {
      taken = []
      keep([...failed, ...waiting])
    },
  }
}
