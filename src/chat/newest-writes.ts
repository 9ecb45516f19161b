import { StorageError } from './errors.ts'
import type { Alarm, Log } from './ports.ts'

/** Writes that nobody waits for, and of which the newest of each key is all that counts. */
export interface NewestWrites<Key> {
  /**
   * Writes, in place of whatever waits for this key. What the store refuses is tried again for an hour. Resolves after the first
   * try, and at once while others wait; never rejects with `StorageError`.
   */
  write(key: Key, work: () => Promise<void>): Promise<void>
  isWaiting(key: Key): boolean
  /** Nothing waits for this key any more. */
  drop(key: Key): void
}

/** What they are made with. */
export interface NewestWritesParts<Key> {
  /** Logged where a write is refused. */
  readonly what: string
  /** Nothing waits for a key any more: it was written, or given up. */
  readonly onDone?: (key: Key) => void
  readonly alarm: Alarm
  readonly log: Log
}

/** When what was refused is tried again, in milliseconds. */
const RETRY_MS = 5_000
const MAX_TRIES = 720
/** Over so many that wait, the oldest is given up. */
const MAX_WAITING = 1_000

interface Waiting {
  readonly work: () => Promise<void>
  refusals: number
}

export function createNewestWrites<Key>({
  what,
  onDone = () => undefined,
  alarm,
  log,
}: NewestWritesParts<Key>): NewestWrites<Key> {
  const newest = new Map<Key, Waiting>()
  /** The store has refused one, and they are all tried again later. */
  let isRefusing = false

  function put(key: Key, one: Waiting): void {
    newest.delete(key)
    newest.set(key, one)
    for (const oldest of newest.keys()) {
      if (newest.size <= MAX_WAITING) break
      drop(oldest)
    }
  }

  function drop(key: Key): void {
    if (newest.delete(key)) onDone(key)
  }

  /** Whether it was written. A newer one may have taken its place meanwhile. */
  async function tryOne(key: Key, one: Waiting): Promise<boolean> {
    try {
      await one.work()
      if (newest.get(key) === one) drop(key)
      return true
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      if (++one.refusals === 1) log.warn({ error, reason: error.reason }, what)
      if (newest.get(key) !== one) return false
      // Behind the others, in case it is this one that is refused.
      if (one.refusals < MAX_TRIES) put(key, one)
      else drop(key)
      return false
    }
  }

  function tryLater(): void {
    isRefusing = newest.size > 0
    if (isRefusing) alarm.later(RETRY_MS, () => void tryAll())
  }

  /** Until one is refused: each try may take the store as long as it waits for a lock, and others want to write, too. */
  async function tryAll(): Promise<void> {
    for (const [key, one] of [...newest]) if (newest.get(key) === one && !(await tryOne(key, one))) break
    tryLater()
  }

  return {
    async write(key, work) {
      const one = { work, refusals: 0 }
      put(key, one)
      if (isRefusing || (await tryOne(key, one)) || isRefusing) return
      tryLater()
    },
    isWaiting: (key) => newest.has(key),
    drop,
  }
}
