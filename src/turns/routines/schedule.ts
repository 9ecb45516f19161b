import { HOUR_MS } from '../../base/amounts.ts'
import type { Alarm, Clock, Log } from '../../base/environment.ts'
import type { Routine, RoutineId, RoutineStore } from './ports.ts'

/** `taken`: another server has claimed the run. */
export type Attempt = 'done' | 'taken'

export interface ScheduleParts {
  readonly store: Pick<RoutineStore, 'upcoming'>
  /** Runs a routine that is due. Rejects with `StorageError`. */
  readonly attempt: (routine: Routine) => Promise<Attempt>
  readonly clock: Clock & Alarm
  readonly log: Log
}

/** Due routines that are read at once. */
const MAX_READ = 100
/** Longer timers are split, and wake up only to look at the clock. */
const MAX_TIMER_MS = HOUR_MS
/** Delay until a retry of a run that another server claimed, or whose storage failed. */
const AGAIN_MS = 60_000

/** Runs what is due, with one timer for the next due routine. */
export class Schedule {
  readonly #parts: ScheduleParts
  readonly #running = new Map<RoutineId, Promise<void>>()
  /** Runs that this server skips until a time. */
  readonly #left = new Map<RoutineId, number>()
  #timer = 0
  #isClosed = false
  #reading: Promise<void> | undefined
  #readAgain = false

  constructor(parts: ScheduleParts) {
    this.#parts = parts
  }

  /** Reads and starts due routines. Never throws. */
  wake(): void {
    if (this.#isClosed) return
    this.#readAgain = true
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined))
  }

  /** Starts no more runs. Resolves when the lines of started runs are said. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer++
    await this.#reading
    await Promise.allSettled(this.#running.values())
  }

  async #read(): Promise<void> {
    const { store, clock, log } = this.#parts
    while (this.#readAgain && !this.#isClosed) {
      this.#readAgain = false
      try {
        this.#startDue(await store.upcoming(MAX_READ))
      } catch (error) {
        log.warn({ error }, 'could not read which routines are due')
        this.#arm(clock.now() + AGAIN_MS)
      }
    }
  }

  #startDue(routines: readonly Routine[]): void {
    const now = this.#parts.clock.now()
    let next = Infinity
    for (const routine of routines) {
      const at = Math.max(routine.nextAt ?? Infinity, this.#left.get(routine.id) ?? 0)
      if (at > now) next = Math.min(next, at)
      else if (!this.#running.has(routine.id)) this.#start(routine)
    }
    this.#arm(next)
  }

  #start(routine: Routine): void {
    const { id } = routine
    this.#left.delete(id)
    const run = this.#attempt(routine).then(() => {
      this.#running.delete(id)
      this.wake()
    })
    this.#running.set(id, run)
  }

  async #attempt(routine: Routine): Promise<void> {
    const { attempt, clock, log } = this.#parts
    try {
      if ((await attempt(routine)) === 'done') return
    } catch (error) {
      log.error({ error, routine: routine.number, room: routine.room }, 'a routine could not run')
    }
    this.#left.set(routine.id, clock.now() + AGAIN_MS)
  }

  #arm(at: number): void {
    const { clock } = this.#parts
    const timer = ++this.#timer
    if (at === Infinity) return
    clock.later(Math.max(1, Math.min(at - clock.now(), MAX_TIMER_MS)), () => {
      if (timer !== this.#timer || this.#isClosed) return
      if (clock.now() >= at) this.wake()
      else this.#arm(at)
    })
  }
}
