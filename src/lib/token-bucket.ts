/** How often something may be done: `burst` times at once, and again each `everyMs` milliseconds. */
export interface Rate {
  readonly burst: number
  readonly everyMs: number
}

/**
 * A token bucket as one number: the time, in milliseconds, at which it will be full again (the generic cell rate
 * algorithm, ITU-T I.371). Starts at 0. Returns the number after one more token was taken at `now`, or undefined if
 * there is none.
 */
export function takeToken(fullAt: number, now: number, { burst, everyMs }: Rate): number | undefined {
  const next = Math.max(fullAt, now) + everyMs
  return next - now <= burst * everyMs ? next : undefined
}

/** Counts in a bucket of its own. `now` gives milliseconds that never go back. */
export function createTokenBucket(rate: Rate, now: () => number): () => boolean {
  let fullAt = 0
  return () => {
    const next = takeToken(fullAt, now(), rate)
    fullAt = next ?? fullAt
    return next !== undefined
  }
}
