/** Gives back what was taken; calling it again does nothing. */
export type Release = () => void

/** Counts what is in use for each key, never more than a limit. */
export interface Quota {
  /**
   * Takes one; undefined, and nothing taken, when the limit is reached: the quota's own, unless another one
   * holds for this key now.
   */
  take(key: string, limit?: number): Release | undefined
  /** Whether the quota's own limit is reached. */
  isFull(key: string): boolean
}

/**
 * A quota of so many at once for each key; `limit` is asked each time. Keys that are not in use take no
 * memory.
 */
export function createQuota(limit: () => number): Quota {
  const used = new Map<string, number>()
  const change = (key: string, by: 1 | -1): void => {
    const count = (used.get(key) ?? 0) + by
    if (count > 0) used.set(key, count)
    else used.delete(key)
  }
  const isFull = (key: string, limitNow = limit()): boolean => (used.get(key) ?? 0) >= limitNow
  return {
    isFull: (key) => isFull(key),
    take(key, limitNow) {
      if (isFull(key, limitNow)) return undefined
      change(key, 1)
      return once(() => change(key, -1))
    },
  }
}

/** Takes one of each, or none at all. */
export function takeAll(...wanted: readonly (readonly [Quota, string, number?])[]): Release | undefined {
  const taken: Release[] = []
  const release = once(() => taken.forEach((give) => give()))
  for (const [quota, key, limit] of wanted) {
    const one = quota.take(key, limit)
    if (!one) return (release(), undefined)
    taken.push(one)
  }
  return release
}

function once(action: () => void): Release {
  let done = false
  return () => {
    if (done) return
    done = true
    action()
  }
}
