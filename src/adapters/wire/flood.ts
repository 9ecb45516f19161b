import { createTokenBucket } from '../../lib/token-bucket.ts'

/** To open what an unknown sender says takes a key of its own, which takes work: so many in a second are opened. */
const UNKNOWN_PER_S = 1_000

/** So many messages that nobody can use within a second are a flood: to take in more makes the server late with everything. */
const USELESS_PER_S = 5_000

/** What somebody sends who wants to be in the way. */
export interface Flood {
  /** Whether a message of an unknown sender may be opened; otherwise it is dropped unread. */
  mayOpen(): boolean
  /** Counts a message that was of no use. True where there were too many of them within a second. */
  useless(): boolean
}

/** `now` gives milliseconds that never go back. */
export function createFlood(now: () => number = () => performance.now()): Flood {
  const mayOpen = createTokenBucket({ burst: UNKNOWN_PER_S, everyMs: 1_000 / UNKNOWN_PER_S }, now)
  let began = -Infinity
  let count = 0
  return {
    mayOpen,
    useless() {
      if (now() - began >= 1_000) {
        began = now()
        count = 0
      }
      return ++count > USELESS_PER_S
    },
  }
}
