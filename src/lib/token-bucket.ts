/** `burst` times at once, and again each `everyMs` ms. */
export interface Rate {
  readonly burst: number
  readonly everyMs: number
}

/**
 * A token bucket is one number: the time in ms at which it is full again (generic cell rate algorithm, ITU-T
 * I.371), at first 0. Returns the number after tokens were taken at `now` that come back in `ms`; there may
 * be fewer in it.
 */
export const fullAfter = (fullAt: number, now: number, ms: number): number => Math.max(fullAt, now) + ms

/** Milliseconds until the tokens that were taken are there; 0 or less if they are. */
export const waitFor = (fullAt: number, now: number, { burst, everyMs }: Rate): number =>
  fullAt - now - burst * everyMs

/** The number after one token was taken; undefined if there is none. */
export function takeToken(fullAt: number, now: number, rate: Rate): number | undefined {
  const next = fullAfter(fullAt, now, rate.everyMs)
  return waitFor(next, now, rate) <= 0 ? next : undefined
}

/** `now` gives milliseconds that never go back. */
export function createTokenBucket(rate: Rate, now: () => number): () => boolean {
  let fullAt = 0
  return () => {
    const next = takeToken(fullAt, now(), rate)
    fullAt = next ?? fullAt
    return next !== undefined
  }
}
