import { StorageError } from './errors.ts'
import type { Alarm, Log } from './ports.ts'

/** Writes that nobody waits for, and of which the newest of each key is all that counts. */
export interface NewestWrites<Key> {
  /**
   * Writes, in place of whatever waits for this key. What the store refuses is tried again for an hour. Resolves after the first
   * try; never rejects with `StorageError`.
   */
  write(key: Key, work: () => Promise<void>): Promise<void>
  /** Nothing waits for this key any more. */
  drop(key: Key): void
}

/** When what was refused is tried again, in milliseconds. */
const RETRY_MS = 5_000
const MAX_TRIES = 720
/** Over so many that wait, the oldest is given up. */
const MAX_WAITING = 10_000

interface Waiting {
  readonly work: () => Promise<void>
  refusals: number
}

/** `what` is logged where a write is refused. */
export function createNewestWrites<Key>(what: string, alarm: Alarm, log: Log): NewestWrites<Key> {
  const newest = new Map<Key, Waiting>()
  let willRetry = false

  async function tryOne(key: Key, one: Waiting): Promise<void> {
    try {
      await one.work()
      forget(key, one)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      if (++one.refusals === 1) log.warn({ error, reason: error.reason }, what)
      if (one.refusals === MAX_TRIES) forget(key, one)
      if (newest.size > 0) retryLater()
    }
  }

  /** A newer one may have taken its place meanwhile. */
  function forget(key: Key, one: Waiting): void {
    if (newest.get(key) === one) newest.delete(key)
  }

  function retryLater(): void {
    if (willRetry) return
    willRetry = true
    alarm.later(RETRY_MS, () => void retryAll())
  }

  async function retryAll(): Promise<void> {
    const refused = [...newest].filter(([, { refusals }]) => refusals > 0)
    // One after another, so that a store that is back has time for others, too.
    for (const [key, one] of refused) if (newest.get(key) === one) await tryOne(key, one)
    willRetry = false
    if (newest.size > 0) retryLater()
  }

  return {
    async write(key, work) {
      const one = { work, refusals: 0 }
      newest.delete(key)
      newest.set(key, one)
      const oldest = newest.keys().next()
      if (newest.size > MAX_WAITING && !oldest.done) newest.delete(oldest.value)
      await tryOne(key, one)
    },
    drop: (key) => void newest.delete(key),
  }
}
