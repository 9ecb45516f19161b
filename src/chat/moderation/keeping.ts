import { countedAre, DAY_MS } from '../../base/amounts.ts'
import type { Alarm, Clock, Log, MonotonicClock } from '../../base/environment.ts'
import type { JsonObject } from '../../base/json.ts'
import { createSerial } from '../../base/jobs/serial.ts'
import type { RoomName } from '../../words/entry.ts'
import type { Person } from '../../words/person.ts'
import type { RoomStore } from '../ports.ts'
import type { RetentionStore } from './ports.ts'

interface KeepLimits {
  /** Days that all rooms keep lines; 0: no limit. */
  readonly keep_days: number
  /** Days that turns' requests to models are kept; 0: no limit. */
  readonly keep_turns_days: number
}

interface KeepingParts {
  readonly store: RetentionStore
  readonly rooms: Pick<RoomStore, 'all'>
  /** Removes files of a room that nobody changed since `before`, in milliseconds since the epoch. */
  readonly removeFiles: (room: RoomName, before: number) => Promise<void>
  /** Called after lines were removed; must not reject. */
  readonly tidy: () => Promise<void>
  readonly limits: KeepLimits
  readonly clock: Clock & MonotonicClock & Alarm
  readonly nextId: () => string
  readonly log: Log
}

/** Entries in one transaction of a few milliseconds, for which the next line may have to wait. */
const AT_ONCE = 200

/** Removes old lines and requests once a day. Disposing ends it. Methods reject with `StorageError` only. */
export class Keeping implements AsyncDisposable {
  readonly #parts: KeepingParts
  readonly #serially = createSerial()
  #isClosing = false

  constructor(parts: KeepingParts) {
    this.#parts = parts
  }

  /** The days that a room keeps lines: its own, or the server's if fewer; undefined for no limit. */
  async daysOf(room: RoomName) {
    const own = (await this.#parts.store.days()).get(room)
    const days = this.#shortest(own)
    return { days, isOwn: days === own }
  }

  olderThan(room: RoomName, days: number): Promise<number> {
    return this.#parts.store.countBefore(room, this.#before(days))
  }

  /** Sets a room's own days, null for good, and starts to remove older lines. */
  async set(room: RoomName, days: number | null, { name: by }: Person, older: number): Promise<void> {
    const { store, clock, nextId } = this.#parts
    const at = clock.now()
    const day = new Date(at).toISOString().slice(0, 10)
    const what =
      days === null
        ? `read all stored lines, since ${day}`
        : `read back ${days}d, since ${day}, when ${countedAre(older, 'line')} older`
    await store.record({ id: nextId(), at, room, who: 'everybody', what, by })
    await store.setDays(room, days)
    void this.sweep()
  }

  start(): void {
    void this.sweep()
    this.#parts.clock.later(DAY_MS, () => !this.#isClosing && this.start())
  }

  /** Removes old lines and requests now. Never rejects. */
  sweep(): Promise<void> {
    return this.#serially(async () => {
      try {
        await this.#removeAll()
      } catch (error) {
        if (!this.#isClosing)
          this.#parts.log.error({ error }, 'could not remove expired lines, results or files')
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    await this.#serially(() => undefined)
  }

  async #removeAll(): Promise<void> {
    const { store, rooms, removeFiles, limits, tidy } = this.#parts
    const own = await store.days()
    const all = await rooms.all()
    const due = all.flatMap(({ name }) => {
      const days = this.#shortest(own.get(name))
      return days === undefined ? [] : [{ name, before: this.#before(days) }]
    })
    let removed = 0
    for (const { name: room, before } of due) {
      if (this.#isClosing) return
      await removeFiles(room, before)
      removed += await this.#removeOld({ room, before }, () => store.removeBefore(room, before, AT_ONCE))
    }
    const turnsDays = limits.keep_turns_days
    const before = this.#before(turnsDays)
    if (turnsDays > 0)
      removed += await this.#removeOld({ before }, () => store.removeRequests(before, turnsDays))
    if (removed > 0 && !this.#isClosing) await tidy()
  }

  async #removeOld(what: JsonObject, remove: () => Promise<number>): Promise<number> {
    const { clock, log } = this.#parts
    let removed = 0
    for (let some = 1; some > 0 && !this.#isClosing; removed += some) {
      const start = clock.monotonic()
      some = await remove()
      // Leaves at least half of the storage's time to the chat.
      await pause(clock, clock.monotonic() - start)
    }
    if (removed > 0) log.info({ ...what, removed }, 'removed expired lines, results or files')
    return removed
  }

  #shortest(own: number | undefined): number | undefined {
    const all = this.#parts.limits.keep_days
    return own === undefined || all === 0 ? (own ?? (all || undefined)) : Math.min(own, all)
  }

  readonly #before = (days: number): number => this.#parts.clock.now() - days * DAY_MS
}

export const pause = (clock: Alarm, ms: number): Promise<void> =>
  new Promise((resolve) => clock.later(Math.max(1, ms), resolve))
