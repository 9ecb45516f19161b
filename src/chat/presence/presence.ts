/**
 * chat/presence/ tells a room who comes and goes: one by one, summed up where there are many, and later where nothing can
 * be stored now. It must not know who is in the room: it is told of each change, in order.
 */

import { createSerial } from '../../lib/jobs/serial.ts'
import type { Entry, NewEntry, Recorded, RoomName } from '../entry.ts'
import { StorageError } from '../errors.ts'
import type { HeldPresence, PresenceChange } from './held-presence.ts'
import type { Appended } from '../appended.ts'
import type { Alarm, Log } from '../ports.ts'
import { createInOrder } from './in-order.ts'
import { lineOf, sumOf } from './sum.ts'
import { createUntold } from './untold.ts'

/** Tells a room who comes and goes. Never rejects: people come and go also while nothing can be stored. */
export interface PresenceTeller {
  /**
   * Records the change. In a minute that has enough such lines it is only held, on disk, for the sum at its end. What
   * cannot be stored is kept in memory for `catchUp`.
   */
  tell(change: PresenceChange): Promise<void>
  /** Stores what could not be stored before. To be called whenever something was stored; it also tries by itself. */
  catchUp(): Promise<void>
  /** A change was held on disk already: sums it up, at once or at the end of the minute, as `tell` would. */
  tellHeld(): Promise<void>
  /** Sums up now what is held, also what a server that was killed has left. */
  sumUp(): Promise<void>
}

/** What a teller of presence is made of. */
export interface PresenceParts {
  readonly room: RoomName
  /** As `Room.record`; `store` takes the place of appending to the log. */
  readonly record: <Draft extends NewEntry>(
    draft: Draft,
    store?: (entry: Entry) => Promise<Appended>,
  ) => Promise<Recorded<Draft>>
  readonly store: HeldPresence
  readonly limits: PresenceLimits
  readonly alarm: Alarm
  readonly log: Log
}

/** The key of `[limits]` that bounds how often a room is told who comes and goes. */
export interface PresenceLimits {
  /** Lines a minute, the sum at its end included. */
  readonly presence_per_min: number
}

const MINUTE_MS = 60_000

/** How often it is tried whether what could not be stored can be. */
const RETRY_MS = 5_000

/** Troubles that pass by themselves. After others, something else must be stored before it is tried again. */
const PASSING: ReadonlySet<StorageError['reason']> = new Set(['full', 'locked', 'read-only', 'away'])

/** More changes than this are summed up before the minute is over, so that no entry grows without end. */
const MAX_CHANGES_A_SUM = 500

/** So often it is read again what is held, where other servers summed up the same. */
const ATTEMPTS = 5

/** A minute begins with the first line after a minute without any, or with the sum of the minute before. */
export function createPresenceTeller({
  room,
  record,
  store,
  limits,
  alarm,
  log,
}: PresenceParts): PresenceTeller {
  const oneByOne = createSerial()
  const inOrder = createInOrder()
  const untold = createUntold()
  let lines = 0
  let held = 0
  let sumsUnderWay = 0
  let willRetry = false

  function countLine(): void {
    if (lines === 0) alarm.later(MINUTE_MS, endMinute)
    lines++
  }

  function endMinute(): void {
    lines = 0
    if (held > 0) void sumUp()
  }

  async function tell(change: PresenceChange): Promise<void> {
    if (!untold.isEmpty()) {
      untold.add(change)
      return void catchUp()
    }
    // While some are held, others must not overtake them.
    const isTold =
      held > 0 || lines >= limits.presence_per_min ? await hold(change) : await recordLine(change)
    if (!isTold) untold.add(change)
  }

  async function hold(change: PresenceChange): Promise<boolean> {
    held++
    const stored = survive(() => store.hold(room, change))
    if (held >= MAX_CHANGES_A_SUM) void sumUp()
    return await stored
  }

  async function recordLine(change: PresenceChange): Promise<boolean> {
    countLine()
    // Nobody is said to have left before they are said to have come.
    if (sumsUnderWay > 0) await oneByOne(() => undefined)
    return await survive(() => record(lineOf(change)))
  }

  async function tellHeld(): Promise<void> {
    held++
    if (lines < limits.presence_per_min || held >= MAX_CHANGES_A_SUM) await sumUp()
  }

  async function catchUp(): Promise<void> {
    const changes = untold.take()
    if (changes.length === 0) return
    const outcomes = await Promise.allSettled(changes.map((change) => store.hold(room, change)))
    const failed = changes.filter((_, index) => outcomes[index]?.status === 'rejected')
    untold.settle(failed)
    const failure = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failure) noteTrouble(failure.reason)
    held += changes.length - failed.length
    if (failed.length < changes.length && lines < limits.presence_per_min) await sumUp()
  }

  function retryLater(): void {
    if (willRetry) return
    willRetry = true
    alarm.later(RETRY_MS, () => {
      willRetry = false
      void catchUp()
    })
  }

  async function sumUp(): Promise<void> {
    const taken = held
    held = 0
    if (taken > 0) countLine()
    sumsUnderWay++
    const isDone = await oneByOne(() => survive(() => recordSums(ATTEMPTS)))
    sumsUnderWay--
    // They are on disk: the next minute's end tries again.
    if (!isDone) held += taken
  }

  async function recordSums(attempts: number): Promise<void> {
    try {
      for (;;) {
        const changes = await store.held(room, MAX_CHANGES_A_SUM)
        if (changes.length > 0) await record(sumOf(changes), (entry) => store.sumUp(entry, changes.length))
        if (changes.length < MAX_CHANGES_A_SUM) return
      }
    } catch (error) {
      if (attempts === 1 || !(error instanceof StorageError) || error.reason !== 'locked') throw error
      await recordSums(attempts - 1)
    }
  }

  /** False where it could not be stored. */
  async function survive(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      noteTrouble(error)
      return false
    }
  }

  function noteTrouble(error: unknown): void {
    if (!(error instanceof StorageError)) throw error
    log.warn({ error, reason: error.reason, room }, 'a coming or going was not stored')
    if (PASSING.has(error.reason)) retryLater()
  }

  return {
    sumUp,
    tellHeld,
    catchUp,
    // What one person does is told in its order also where the first of it cannot be stored.
    tell: (change) => inOrder(change.name, () => tell(change)),
  }
}
