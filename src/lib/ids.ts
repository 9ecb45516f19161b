import { decodeTime, isValid, monotonicFactory } from 'ulid'

/**
 * Makes ULIDs (https://github.com/ulid/spec) that sort in the order of making as plain strings, and after
 * `after` even if the clock stands still or went back. Throws if `after` is not a ULID.
 */
export function createIds(clock: { now(): number }, after?: string): () => string {
  const earliest = after === undefined ? 0 : timeOf(after) + 1
  const next = monotonicFactory()
  return () => next(Math.max(clock.now(), earliest))
}

function timeOf(id: string): number {
  if (!isValid(id)) throw new TypeError(`not a ULID: ${JSON.stringify(id)}`)
  return decodeTime(id)
}
