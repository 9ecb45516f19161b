import { StorageError } from '../errors.ts'
import type { Alarm, Log } from '../ports.ts'

/** Lines on their way to the store. */
export interface PendingLines {
  /** Stores it with others, after a moment. */
  add(line: string): void
  /** Stores all at once. Resolves when that is done, or refused; what was refused is tried again. Never rejects with `StorageError`. */
  storeNow(): Promise<void>
  /** None of them is stored any more. */
  drop(): void
}

/** What they are stored with. */
export interface PendingLinesParts {
  readonly store: (lines: readonly string[]) => Promise<void>
  /** Whether lines that were refused before are to be stored at all. */
  readonly isStillWanted: () => Promise<boolean>
  /** So many may wait, the newest. */
  readonly most: number
  readonly alarm: Alarm
  readonly log: Log
}

/** Lines are stored together, so that none of them waits for a disk; in milliseconds. */
const STORE_AFTER_MS = 5_000

export function createPendingLines({
  store,
  isStillWanted,
  most,
  alarm,
  log,
}: PendingLinesParts): PendingLines {
  let pending: readonly string[] = []
  let wasRefused = false
  let isTimed = false
  /** How often they were dropped. */
  let drops = 0

  function storeLater(): void {
    if (isTimed) return
    isTimed = true
    alarm.later(STORE_AFTER_MS, () => {
      isTimed = false
      void storeNow()
    })
  }

  async function storeNow(): Promise<void> {
    const taken = pending
    const before = drops
    pending = []
    if (taken.length === 0) return
    try {
      if (!wasRefused || (await isStillWanted())) await store(taken)
      wasRefused = false
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      log.warn({ error, reason: error.reason }, 'what somebody typed was not stored yet')
      if (drops !== before) return
      wasRefused = true
      pending = [...taken, ...pending].slice(-most)
      storeLater()
    }
  }

  return {
    add(line) {
      pending = [...pending, line]
      storeLater()
    },
    storeNow,
    drop() {
      pending = []
      drops++
    },
  }
}
