import type { RoomName } from '../../chat/entry.ts'
import type { Alarm, MonotonicClock } from '../../chat/ports.ts'
import { createDeferred } from '../../lib/jobs/waiting.ts'
import { fullAfter, waitFor, type Rate } from '../../lib/token-bucket.ts'

/** Requests for summaries of one room: a long conversation at once, then one each two seconds. */
const PIECES: Rate = { burst: 60, everyMs: 2_000 }

/** With more rooms than this, those that may do all at once are forgotten. */
const MAX_ROOMS_KEPT = 1_000

/** Waits before a room's next request. Rejects with the signal's reason. */
export type PiecePace = (room: RoomName, signal: AbortSignal) => Promise<void>

export function createPiecePace(clock: Alarm & MonotonicClock): PiecePace {
  const fullAt = new Map<RoomName, number>()

  function take(room: RoomName): number {
    const now = clock.monotonic()
    if (fullAt.size > MAX_ROOMS_KEPT) for (const [one, at] of fullAt) if (at <= now) fullAt.delete(one)
    const full = fullAfter(fullAt.get(room) ?? 0, now, PIECES.everyMs)
    fullAt.set(room, full)
    return waitFor(full, now, PIECES)
  }

  return async (room, signal) => {
    const ms = take(room)
    if (ms <= 0) return
    const { promise, resolve, reject } = createDeferred<void>()
    const stop = (): void => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    clock.later(ms, resolve)
    await promise.finally(() => signal.removeEventListener('abort', stop))
  }
}
