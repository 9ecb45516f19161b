import { DAY_MS, HOUR_MS } from '../../base/amounts.ts'
import type { Clock } from '../../base/environment.ts'
import type { Rooms } from '../../chat/index.ts'
import type { Entry, RoutineEntry } from '../../words/entry.ts'
import { SYSTEM } from '../../words/names.ts'
import type { PersonId } from '../../words/person.ts'
import type { Routine, RoutineId, RoutineProgress, RoutineStore } from './ports.ts'
import type { Trouble } from './requester.ts'
import { nextTime } from './service.ts'

export interface OutcomeParts {
  readonly store: Pick<RoutineStore, 'byId' | 'update'>
  readonly rooms: Pick<Rooms, 'anyRoom'>
  /** Rings a person, or waits for their next login. Rejects with `StorageError`. */
  readonly ring: (person: PersonId, text: string) => Promise<void>
  /** Removes the grants of a routine. Rejects with `StorageError`. */
  readonly endGrants: (id: RoutineId) => Promise<void>
  readonly clock: Clock
  /** Counts a run by its one-word outcome. */
  readonly count: (outcome: string) => void
  readonly changed: () => void
}

/** Failures in a row that pause a routine, the pauses before each retry, and how long retries go on. */
const MAX_FAILURES = 3
const PAUSES_MS = [HOUR_MS, 4 * HOUR_MS, 24 * HOUR_MS]
const MAX_FAILING_MS = 7 * DAY_MS
/** How often a routine that cannot run is checked again. */
const LOOK_AGAIN_MS = HOUR_MS

export type TurnOutcome = 'done' | 'failed' | 'stopped'

/** How a turn of a run ended, by its last entry. */
export function outcomeOf(last: Entry): TurnOutcome {
  if (last.kind === 'notice') return last.level === 'error' ? 'failed' : 'stopped'
  return last.kind === 'reply' && last.outcome !== undefined && last.outcome !== 'done' ? 'failed' : 'done'
}

/** Stores how runs ended, and what becomes of their routines. All methods reject with `StorageError`. */
export class Outcomes {
  readonly #parts: OutcomeParts

  constructor(parts: OutcomeParts) {
    this.#parts = parts
  }

  /** Stores that a run has begun or was left out, and the time of the next run. Ends the claim. */
  async advance(routine: Routine, outcome: string, ran: boolean): Promise<void> {
    const { store, clock } = this.#parts
    const now = clock.now()
    const runsLeft = ran && routine.runsLeft !== null ? routine.runsLeft - 1 : routine.runsLeft
    const next = routine.condition.kind === 'once' ? null : nextTime(routine, now)
    const isOver =
      routine.condition.kind === 'once' ||
      runsLeft === 0 ||
      (routine.until !== null && next !== null && next > routine.until)
    // A routine paused by failures runs as paused until a run succeeds.
    const isFailing = routine.state === 'paused' && routine.failingAt !== null
    const run = ran ? { lastAt: now, outcome } : { outcome }
    const change: Partial<RoutineProgress> = isOver
      ? { state: 'ended', reason: 'it has run', nextAt: null, runsLeft, ...run }
      : { nextAt: next, runsLeft, ...run, ...(isFailing ? {} : { state: 'active', reason: '' }) }
    await store.update(routine.id, change)
    this.#parts.changed()
  }

  /** Ends or pauses a routine that cannot run now. Reports that once. */
  async trouble(routine: Routine, { why, effect }: Trouble): Promise<void> {
    const { store, clock, count } = this.#parts
    const now = clock.now()
    if (effect === 'end') {
      await store.update(routine.id, { state: 'ended', reason: why, nextAt: null })
      await this.#parts.endGrants(routine.id)
      return await this.#tell(routine, 'ended', why)
    }
    // A `once` routine would otherwise wait for years, and then say something that nobody remembers.
    const waits = effect === 'wait' && routine.condition.kind === 'once'
    const failingAt = waits ? (routine.failingAt ?? now) : routine.failingAt
    if (waits && failingAt !== null && now - failingAt >= MAX_FAILING_MS)
      return await this.trouble(routine, { why: `it waited for seven days: ${why}`, effect: 'end' })
    // A reason may contain the remaining time, and so differ at each attempt.
    const isNew = routine.state === 'active' || (effect === 'pause' && routine.nextAt !== null)
    const nextAt = effect === 'pause' ? null : now + LOOK_AGAIN_MS
    await store.update(routine.id, { state: 'paused', reason: why, nextAt, failingAt, outcome: 'paused' })
    count('paused')
    if (isNew) await this.#tell(routine, 'paused', why)
  }

  /** Makes a routine whose trouble has passed active again. */
  async recovered({ id }: Routine): Promise<void> {
    await this.#parts.store.update(id, { state: 'active', reason: '', nextAt: null }, { state: 'paused' })
    this.#parts.changed()
  }

  async settle(id: RoutineId, outcome: TurnOutcome): Promise<void> {
    const { store, count } = this.#parts
    count(outcome)
    const routine = await store.byId(id)
    await this.#endGrantsOf(id, routine)
    if (!routine) return
    if (routine.state === 'ended' || outcome === 'stopped') await store.update(id, { outcome })
    else if (outcome === 'failed') await this.#failed(routine)
    else if (routine.failingAt === null) await store.update(id, { outcome, failures: 0 })
    else {
      await store.update(id, { outcome, failures: 0, failingAt: null, state: 'active', reason: '' })
      this.#parts.changed()
    }
  }

  /** Removes a routine's grants if this was its last run. */
  async ranLast(id: RoutineId): Promise<void> {
    await this.#endGrantsOf(id, await this.#parts.store.byId(id))
  }

  async #endGrantsOf(id: RoutineId, routine: Routine | undefined): Promise<void> {
    if (!routine || routine.state === 'ended') await this.#parts.endGrants(id)
  }

  async #failed(routine: Routine): Promise<void> {
    const { store, clock } = this.#parts
    const now = clock.now()
    const failures = routine.failures + 1
    if (failures < MAX_FAILURES) return void (await store.update(routine.id, { outcome: 'failed', failures }))
    const failingAt = routine.failingAt ?? now
    if (now - failingAt >= MAX_FAILING_MS)
      return await this.trouble(routine, { why: 'it failed for seven days', effect: 'end' })
    const why = `it failed ${MAX_FAILURES} times in a row`
    const pause = PAUSES_MS[Math.min(failures - MAX_FAILURES, PAUSES_MS.length - 1)] ?? HOUR_MS
    await store.update(routine.id, {
      state: 'paused',
      reason: why,
      outcome: 'failed',
      failures,
      failingAt,
      nextAt: now + pause,
    })
    if (routine.failingAt === null) await this.#tell(routine, 'paused', `${why}; it tries again later`)
    this.#parts.changed()
  }

  async #tell(routine: Routine, event: RoutineEntry['event'], why: string): Promise<void> {
    const { number, person } = routine
    const room = routine.room === null ? undefined : await this.#parts.rooms.anyRoom(routine.room)
    const text = `routine ${number} ${event === 'ended' ? 'has ended' : 'is paused'}: ${why}`
    await room?.record({ kind: 'routine', author: SYSTEM, routine: number, event, text })
    await this.#parts.ring(person, room ? `in ${room.name}, ${text}` : text)
    this.#parts.changed()
  }
}
