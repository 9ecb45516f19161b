/** A rate: `burst` times at once, then one more every `everyMs` ms. */
export interface Rate {
  readonly burst: number
  readonly everyMs: number
}

/**
 * A token bucket is one number: the time in ms at which it is full again (generic cell rate algorithm, ITU-T
 * I.371), initially 0. Returns the number after taking tokens at `now` that refill in `ms`, even if too few
 * are left.
 */
export const fullAfter = (fullAt: number, now: number, ms: number): number => Math.max(fullAt, now) + ms

/** Returns the milliseconds until the tokens already taken are covered; 0 or less if they are. */
export const waitFor = (fullAt: number, now: number, { burst, everyMs }: Rate): number =>
  fullAt - now - burst * everyMs

/** Returns the number after taking one token; undefined if there is none. */
export function takeToken(fullAt: number, now: number, rate: Rate): number | undefined {
  const next = fullAfter(fullAt, now, rate.everyMs)
  return waitFor(next, now, rate) <= 0 ? next : undefined
}

/** `now` returns monotonic milliseconds. */
export function createTokenBucket(rate: Rate, now: () => number): () => boolean {
  let fullAt = 0
  return () => {
    const next = takeToken(fullAt, now(), rate)
    fullAt = next ?? fullAt
    return next !== undefined
  }
}
