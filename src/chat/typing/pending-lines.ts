import { createSerial } from '../../lib/jobs/serial.ts'
import type { NewestWrites } from '../newest-writes.ts'
import type { PersonId } from '../people/person.ts'
import type { Alarm } from '../ports.ts'

/** Lines on their way to the store. */
export interface PendingLines {
  /** Stores it with others, after a moment. */
  add(line: string): void
  /** Stores all at once. Resolves when that is done, or put off. Never rejects with `StorageError`. */
  storeNow(): Promise<void>
  /** None of them is stored any more. */
  drop(): void
}

/** What they are stored with. */
export interface PendingLinesParts {
  readonly person: PersonId
  readonly store: (lines: readonly string[]) => Promise<void>
  readonly writes: NewestWrites<PersonId>
  /** So many may wait, the newest. */
  readonly most: number
  readonly alarm: Alarm
}

/** Lines are stored together, so that none of them waits for a disk; in milliseconds. */
const STORE_AFTER_MS = 5_000

export function createPendingLines({ person, store, writes, most, alarm }: PendingLinesParts): PendingLines {
  const serially = createSerial()
  let pending: readonly { readonly text: string }[] = []
  let isTimed = false

  function storeLater(): void {
    if (isTimed) return
    isTimed = true
    alarm.later(STORE_AFTER_MS, () => {
      isTimed = false
      void storeNow()
    })
  }

  async function storeNow(): Promise<void> {
    if (pending.length > 0) await writes.write(person, () => serially(storePending))
  }

  /** Those that come meanwhile have their own time. */
  async function storePending(): Promise<void> {
    const taken = pending
    if (taken.length === 0) return
    await store(taken.map(({ text }) => text))
    pending = pending.filter((line) => !taken.includes(line))
  }

  return {
    add(text) {
      pending = [...pending, { text }].slice(-most)
      storeLater()
    },
    storeNow,
    drop() {
      pending = []
      writes.drop(person)
    },
  }
}
