import { decodeTime, isValid, monotonicFactory } from 'ulid'

/**
 * Creates ULIDs (github.com/ulid/spec) that sort in order of creation, and after `after` even if the clock
 * went back. Throws if `after` is not a ULID.
 */
export function createIds(clock: { now(): number }, after?: string): () => string {
  const earliest = after === undefined ? 0 : timeOfId(after) + 1
  const next = monotonicFactory(pooledRandom())
  return () => next(Math.max(clock.now(), earliest))
}

const POOL_BYTES = 1_024

/** A pool of random bytes makes an ID take 4 µs instead of 140 µs with a system call per byte. */
function pooledRandom(): () => number {
  const pool = new Uint8Array(POOL_BYTES)
  let at = POOL_BYTES
  return () => {
    if (at === POOL_BYTES) {
      crypto.getRandomValues(pool)
      at = 0
    }
    return (pool[at++] ?? 0) / 256
  }
}

/** Returns a ULID's time in ms since the epoch. Throws `TypeError` for another text. */
export function timeOfId(id: string): number {
  if (!isValid(id)) throw new TypeError(`not a ULID: ${JSON.stringify(id)}`)
  return decodeTime(id)
}
