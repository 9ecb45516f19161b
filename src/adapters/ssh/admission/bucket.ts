/** A bucket that leaks: it counts what happens, and forgets it at a steady pace. */
export interface Bucket {
  /** Adds some, which may be less than nothing, and gives what is in the bucket then; never below 0, never above `max`. */
  add(amount: number): number
}

/** `perS` leaks away in a second. `now` is in ms, and never goes back. */
export function createBucket(perS: number, max: number, now: () => number = () => performance.now()): Bucket {
  let level = 0
  let at = now()
  return {
    add(amount) {
      const time = now()
      const left = Math.max(0, level - ((time - at) / 1_000) * perS)
      level = Math.min(max, Math.max(0, left + amount))
      at = time
      return level
    },
  }
}
