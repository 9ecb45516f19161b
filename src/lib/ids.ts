import { decodeTime, isValid, monotonicFactory } from 'ulid'

/**
 * Makes ULIDs (https://github.com/ulid/spec) that sort in the order of making as plain strings, and after
 * `after` even if the clock stands still or went back. Throws if `after` is not a ULID.
 */
export function createIds(clock: { now(): number }, after?: string): () => string {
  const earliest = after === undefined ? 0 : timeOf(after) + 1
  const next = monotonicFactory(pooledRandom())
  return () => next(Math.max(clock.now(), earliest))
}

const POOL_BYTES = 1_024

/** Random numbers from 0 to less than 1. Each byte by itself from the system, the sixteen of an id take 140 µs instead of 4. */
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
