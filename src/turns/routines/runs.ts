import { HOUR_MS, utf8Bytes } from '../../base/amounts.ts'
import type { Alarm, Clock, Log } from '../../base/environment.ts'
import { createDeferred } from '../../base/jobs/waiting.ts'
import { createKeyedSerial } from '../../base/jobs/serial.ts'
import { zoneOf } from '../../base/zone.ts'
import type { Room } from '../../chat/index.ts'
import type { Entry, RoomName } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import { SYSTEM } from '../../words/names.ts'
import type { Person, PersonId } from '../../words/person.ts'
import { type BudgetParts, createRun } from './budget.ts'
import { timeText } from './calendar.ts'
import { type OutcomeParts, Outcomes, outcomeOf } from './outcomes.ts'
import type { Routine, RoutineStore } from './ports.ts'
import { findRequester, type Requester, type RequesterParts, type Trouble } from './requester.ts'
import { modelsOf } from './rights.ts'
import type { RoutineRun } from './run.ts'
import type { Attempt } from './schedule.ts'

/** A turn that a run started. */
export interface StartedTurn {
  /** Rejects with `StorageError` only. */
  readonly done: Promise<Entry>
}

export interface RunParts extends RequesterParts, BudgetParts, OutcomeParts {
  readonly store: RoutineStore
  readonly rooms: RequesterParts['rooms'] & OutcomeParts['rooms']
  readonly limits: BudgetParts['limits'] & { readonly turns_per_room: number }
  /** Turns of a room that run or wait, on all servers. */
  readonly running: (room: RoomName) => readonly {
    readonly model: string
    readonly requesterId: PersonId
    ended(): Promise<unknown>
  }[]
  /** Says a line, and starts the turns of the models that it mentions. Rejects with `Refusal`. */
  readonly say: (
    room: Room,
    person: Person,
    text: string,
    routine: RoutineRun,
  ) => Promise<readonly StartedTurn[]>
  /** Counts what the person stores. Throws `Refusal`. */
  readonly takeBytes: (person: Person, bytes: number) => void
  /** The name of this server in claims. */
  readonly server: string
  readonly clock: Clock & Alarm
  readonly log: Log
}

/** How long a due run waits for a slot, behind what people ask. */
const MAX_WAIT_MS = 10 * 60_000
const CLAIM_MS = 120_000
/** How late a calendar run may be. */
const MAX_LATE_MS = HOUR_MS + MAX_WAIT_MS
/** Entries that are searched for the line of an earlier claim. */
const MAX_LOOKED = 1_000

/** Runs due routines. */
export class Runs {
  readonly outcomes: Outcomes
  readonly #parts: RunParts
  /** Serializes a room's routines that ask models, so that each finds the slots that are free then. */
  readonly #inTurn = createKeyedSerial<RoomName>()

  #isClosed = false
  readonly #closed = createDeferred<void>()

  constructor(parts: RunParts) {
    this.#parts = parts
    this.outcomes = new Outcomes(parts)
  }

  /** Rejects with `StorageError`. */
  readonly attempt = async (routine: Routine): Promise<Attempt> => {
    const { room } = routine
    if (room === null || modelsOf(routine.condition).length === 0) return await this.#claimAndRun(routine)
    return await this.#inTurn(room, async () => {
      const isFree = await this.#slotIsFree(room, (routine.nextAt ?? 0) + MAX_WAIT_MS)
      if (this.#isClosed) return 'taken'
      return await this.#claimAndRun(routine, isFree ? undefined : 'no slot')
    })
  }

  /** Stores how a run ended, once its turns have ended. Never rejects. */
  readonly follow = async (routine: Routine, turns: readonly StartedTurn[]): Promise<void> => {
    const { log, count } = this.#parts
    try {
      const ends = (await Promise.all(turns.map(({ done }) => done))).map(outcomeOf)
      if (ends.length === 0) {
        count('done')
        return await this.outcomes.ranLast(routine.id)
      }
      const worst = (['failed', 'stopped'] as const).find((outcome) => ends.includes(outcome))
      await this.outcomes.settle(routine.id, worst ?? 'done')
    } catch (error) {
      log.warn({ error, routine: routine.number, room: routine.room }, 'could not store how a routine ran')
    }
  }

  /** Stops waiting for slots. */
  close(): void {
    this.#isClosed = true
    this.#closed.resolve()
  }

  /** Looks up the requester, and whether today's tokens are used up. Rejects with `StorageError`. */
  async standing(routine: Routine): Promise<Requester | Trouble> {
    const found = await findRequester(routine, this.#parts)
    if ('effect' in found || modelsOf(routine.condition).length === 0) return found
    const why = await createRun(routine, this.#parts).whyNoTokens()
    return why === undefined ? found : { why, effect: 'wait' }
  }

  async #claimAndRun(routine: Routine, leftOut?: string): Promise<Attempt> {
    const { store, server, clock, count } = this.#parts
    const { id, condition, nextAt } = routine
    if (nextAt === null) return 'done'
    const claim = await store.claim(id, { nextAt, by: server, ms: CLAIM_MS })
    if (claim === undefined) return 'taken'
    const isTrigger = condition.kind === 'line' || condition.kind === 'each'
    if (leftOut === undefined && claim === 'lapsed' && (await this.#wasSaid(routine))) {
      await this.outcomes.advance(routine, 'done', true)
      await this.outcomes.ranLast(id)
    } else if (leftOut === undefined && isTrigger) {
      const found = await this.standing(routine)
      await ('effect' in found ? this.outcomes.trouble(routine, found) : this.outcomes.recovered(routine))
    } else if (
      leftOut !== undefined ||
      (condition.kind === 'calendar' && clock.now() - nextAt > MAX_LATE_MS)
    ) {
      count(leftOut === undefined ? 'missed' : 'no_slot')
      await this.#tellMissed(routine, leftOut)
      await this.outcomes.advance(routine, leftOut ?? 'missed', false)
      await this.outcomes.ranLast(id)
    } else await this.#run(routine)
    return 'done'
  }

  async #run(routine: Routine): Promise<void> {
    const { ring, say, takeBytes, store } = this.#parts
    const found = await this.standing(routine)
    if ('effect' in found) return await this.outcomes.trouble(routine, found)
    const { room, person } = found
    if (!room) {
      await ring(person.id, routine.text)
      this.#parts.count('done')
      return await this.outcomes.advance(routine, 'done', true)
    }
    try {
      takeBytes(person, utf8Bytes(routine.text))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return await this.outcomes.trouble(routine, { why: error.message, effect: 'wait' })
    }
    let turns: readonly StartedTurn[] = []
    let refused: string | undefined
    try {
      turns = await say(room, person, routine.text, createRun(routine, this.#parts))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refused = error.message
    }
    await this.outcomes.advance(routine, refused ?? 'done', true)
    if (refused === undefined) void this.follow(routine, turns)
    else {
      this.#parts.count('refused')
      await store.update(routine.id, { outcome: refused })
      await this.outcomes.ranLast(routine.id)
      const text = `routine ${routine.number}: ${refused}`
      await room.record({ kind: 'notice', level: 'info', author: SYSTEM, text })
    }
  }

  /** Resolves to false if no slot of the room becomes free by `until`. */
  async #slotIsFree(room: RoomName, until: number): Promise<boolean> {
    const { running, limits, clock } = this.#parts
    for (;;) {
      const turns = running(room)
      if (this.#isClosed || turns.length < limits.turns_per_room) return true
      const left = until - clock.now()
      if (left <= 0) return false
      const late = new Promise<void>((resolve) => clock.later(left, resolve))
      await Promise.race([late, this.#closed.promise, ...turns.map((turn) => turn.ended())])
    }
  }

  /** True if the run's line is in the log: the server that claimed the run died after saying it. */
  async #wasSaid({ room: name, number, nextAt }: Routine): Promise<boolean> {
    const room = name === null ? undefined : await this.#parts.rooms.anyRoom(name)
    const lines = (await room?.history({ limit: MAX_LOOKED, kinds: ['message'] })) ?? []
    return lines.some(
      (line) => line.kind === 'message' && line.routine === number && line.at >= (nextAt ?? Infinity),
    )
  }

  async #tellMissed({ room: name, number, nextAt, zone }: Routine, leftOut?: string): Promise<void> {
    const room = name === null ? undefined : await this.#parts.rooms.anyRoom(name)
    const why = leftOut === undefined ? 'no server ran at that time' : 'models were busy for ten minutes'
    const text = `routine ${number} did not run at ${timeText(nextAt ?? 0, zoneOf(zone))}: ${why}`
    await room?.record({ kind: 'notice', level: 'info', author: SYSTEM, text })
  }
}
