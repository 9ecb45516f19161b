import { decodeTime, isValid, monotonicFactory } from 'ulid'

/**
 * Makes ULIDs (github.com/ulid/spec) that sort in the order of making, and after `after` even if the clock
 * went back. Throws if `after` is no ULID.
 */
export function createIds(clock: { now(): number }, after?: string): () => string {
  const earliest = after === undefined ? 0 : timeOf(after) + 1
  const next = monotonicFactory(pooledRandom())
  return () => next(Math.max(clock.now(), earliest))
}

const POOL_BYTES = 1_024

/** Pooled: asking the system for each byte, an id takes 140 µs instead of 4. */
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

function timeOf(id: string): number {
  if (!isValid(id)) throw new TypeError(`not a ULID: ${JSON.stringify(id)}`)
  return decodeTime(id)
}
