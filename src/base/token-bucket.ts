/** A rate: `burst` tokens at once, then one more every `everyMs` ms. */
export interface Rate {
  readonly burst: number
  readonly everyMs: number
}

/**
 * Takes tokens that refill in `ms`, even if too few are left. A bucket is one number, initially 0: the ms at
 * which it is full again (generic cell rate algorithm, ITU-T I.371). Returns the new number.
 */
export const fullAfter = (fullAt: number, now: number, ms: number): number => Math.max(fullAt, now) + ms

/** Returns the ms until the tokens taken so far are covered; 0 or less if they are covered. */
export const waitFor = (fullAt: number, now: number, { burst, everyMs }: Rate): number =>
  fullAt - now - burst * everyMs

/** Returns the bucket's number after taking one token; undefined if there is no token. */
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
