/** How often something may be done: `burst` times at once, and again each `everyMs` milliseconds. */
export interface Rate {
  readonly burst: number
  readonly everyMs: number
}

/**
 * A token bucket is one number: the time, in milliseconds, at which it will be full again (the generic cell rate
 * algorithm, ITU-T I.371). It starts at 0, and each token that is taken puts it off. Returns the number after tokens that
 * come back in `ms` were taken at `now`; there may be fewer in it.
 */
export const fullAfter = (fullAt: number, now: number, ms: number): number => Math.max(fullAt, now) + ms

/** How long after `now` the tokens that were taken will have been there, in ms; 0 or less where they are there. */
export const waitFor = (fullAt: number, now: number, { burst, everyMs }: Rate): number =>
  fullAt - now - burst * everyMs

/** Returns the number of a bucket after one token was taken at `now`, or undefined if there is none. */
export function takeToken(fullAt: number, now: number, rate: Rate): number | undefined {
  const next = fullAfter(fullAt, now, rate.everyMs)
  return waitFor(next, now, rate) <= 0 ? next : undefined
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
