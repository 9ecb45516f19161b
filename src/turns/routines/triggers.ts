import { headOf } from '../../base/text/characters.ts'
import type { MonotonicClock } from '../../base/environment.ts'
import { createQuotaLedger, type Room, type RoomStore } from '../../chat/index.ts'
import type { Entry, MessageEntry, RoomName } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import { mentionedWords, namesAll } from '../../words/mentions.ts'
import { SYSTEM } from '../../words/names.ts'
import type { Person, PersonId } from '../../words/person.ts'
import type { TurnStore } from '../ports.ts'
import { createRun } from './budget.ts'
import { isByProgram, isLine, type Line, LinesInTurn } from './lines.ts'
import type { ListenCondition, Routine, RoutineId, WatchCondition } from './ports.ts'
import { findSpeaker } from './requester.ts'
import type { RoutineRun } from './run.ts'
import type { RunParts, Runs, StartedTurn } from './runs.ts'
import { createWordTest } from './words.ts'

type Watch = Routine & { readonly condition: WatchCondition; readonly room: RoomName }
type Listener = Routine & { readonly condition: ListenCondition; readonly room: RoomName }

export interface TriggerParts extends RunParts {
  readonly runs: Runs
  readonly turns: Pick<TurnStore, 'asked'>
  readonly members: RoomStore['members']
  readonly limits: RunParts['limits'] & { readonly routine_runs_per_hour: number }
  readonly clock: RunParts['clock'] & MonotonicClock
  /** Asks a model to answer a line, as if its speaker had mentioned the model. Rejects with `Refusal`. */
  readonly ask: (question: {
    readonly room: Room
    readonly requester: Person
    readonly model: string
    readonly message: MessageEntry
    /** Absent for a line in a talk, which asks as a mention does. */
    readonly routine?: RoutineRun
  }) => Promise<StartedTurn>
}

/** Time after an answer in which a line of the same person is a follow-up. */
const FOLLOW_UP_MS = 5 * 60_000
/** In a larger room, a listener answers follow-ups only. */
const MAX_IN_SMALL_ROOM = 2
/** A listener's answers in a row without a line that was typed at a terminal. */
const MAX_UNATTENDED = 10
/** Earlier entries that decide whether a line is a follow-up. */
const MAX_BEFORE = 30
/** UTF-16 units of the line that a watch repeats. */
const MAX_REPEATED = 1_000

/** Starts the runs of routines that wait for lines. Each line is handled by the server that recorded it. */
export class Triggers {
  readonly #parts: TriggerParts
  /** Cached routines by room, until something changes. */
  readonly #known = new Map<RoomName, Promise<readonly Routine[]>>()
  readonly #pace: ReturnType<typeof createQuotaLedger>
  readonly #inTurn = new LinesInTurn<RoutineId>()
  /** Answers since a line was typed at a terminal, by room. */
  readonly #unattended = new Map<RoomName, Map<RoutineId, number>>()
  /** People who were told that a routine does nothing for them, until it does. */
  readonly #refused = new Map<RoutineId, Set<PersonId>>()
  #isClosed = false

  constructor(parts: TriggerParts) {
    this.#parts = parts
    this.#pace = createQuotaLedger(parts.clock)
  }

  /** Takes each entry that this server recorded. Never throws, and never delays the entry. */
  readonly onEntry = (entry: Entry): void => {
    if (this.#isClosed || !isLine(entry)) return
    this.#handle(entry).catch((error: unknown) =>
      this.#parts.log.warn({ error, room: entry.room }, 'could not pass a line to the routines of a room'),
    )
  }

  typed(room: RoomName): void {
    this.#unattended.delete(room)
  }

  forget(): void {
    this.#known.clear()
  }

  close(): void {
    this.#isClosed = true
    this.#inTurn.close()
  }

  #routinesOf(room: RoomName): Promise<readonly Routine[]> {
    const known =
      this.#known.get(room) ??
      this.#parts.store
        .list({ room })
        .then((all) =>
          all.filter(
            ({ state, condition: { kind } }) => state === 'active' && (kind === 'line' || kind === 'each'),
          ),
        )
    this.#known.set(room, known)
    known.catch(() => this.#known.delete(room))
    return known
  }

  async #handle(line: Line): Promise<void> {
    const routines = await this.#routinesOf(line.room)
    for (const routine of routines) {
      if (isWatch(routine)) await this.#watch(routine, line)
      else if (isListener(routine)) await this.#hear(routine, line)
    }
  }

  async #watch(known: Watch, line: Line): Promise<void> {
    const { condition } = known
    if ((isByProgram(line) && !condition.programs) || !createWordTest(condition)(line.text)) return
    const routine = await this.#fresh(known)
    if (!routine) return
    const { clock, runs, say } = this.#parts
    if (condition.pauseMs !== undefined && clock.now() < (routine.lastAt ?? 0) + condition.pauseMs) return
    if (!this.#hasPace(routine)) return this.#parts.count('too_often')
    const found = await runs.standing(routine)
    if ('effect' in found) return await runs.outcomes.trouble(routine, found)
    if (!found.room) return
    const quoted = `${line.author}: ${headOf(line.text, MAX_REPEATED)}`.replaceAll('\n', '\n> ')
    const text = `@${condition.model} ${routine.text}\n> ${quoted}`
    await runs.outcomes.advance(routine, 'done', true)
    await this.#orRefused(routine, found.person, found.room, async () => {
      const turns = await say(found.room!, found.person, text, createRun(routine, this.#parts))
      void runs.follow(routine, turns)
    })
  }

  async #hear(listener: Listener, line: Line): Promise<void> {
    if (isByProgram(line) || (await this.#isForSomebody(line))) return
    await this.#inTurn.answer(listener.id, line, (next) => this.#answer(listener, next))
  }

  /** Resolves when the turn has ended, so that lines said meanwhile are answered together. */
  async #answer(known: Listener, line: Line): Promise<void> {
    const { runs, running, rooms, ask } = this.#parts
    const { model } = known.condition
    const room = await rooms.anyRoom(known.room)
    if (!room) return
    for (const turn of running(room.name)) if (turn.model === model) await turn.ended()
    const hearsAll = known.condition.all || (await this.#isSmall(room))
    if (!hearsAll && !(await this.#isFollowUp(room, line, model))) return
    const routine = await this.#fresh(known)
    const speaker = await findSpeaker(room, line.by, this.#parts)
    if (!routine || !speaker) return
    const found = await runs.standing(routine)
    if ('effect' in found) return await runs.outcomes.trouble(routine, found)
    if (await this.#isUnattended(routine)) return
    await this.#orRefused(routine, speaker, room, async () => {
      const question = { room, requester: speaker, model, message: line }
      const turn = await ask({ ...question, routine: createRun(routine, this.#parts) })
      await runs.outcomes.advance(routine, 'done', true)
      await runs.follow(routine, [turn])
    })
  }

  /** Tells only the person why a line was not answered: once, until a line is answered. */
  async #orRefused(routine: Routine, person: Person, room: Room, job: () => Promise<void>): Promise<void> {
    try {
      await job()
      this.#refused.get(routine.id)?.delete(person.id)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      this.#parts.count('refused')
      const refused = this.#refused.get(routine.id) ?? new Set()
      if (refused.has(person.id)) return
      this.#refused.set(routine.id, refused.add(person.id))
      const text = `routine ${routine.number}: ${error.message}`
      room.whisper([person], { kind: 'notice', level: 'info', author: SYSTEM, text })
    }
  }

  async #isUnattended(routine: Listener): Promise<boolean> {
    const ofRoom = this.#unattended.get(routine.room) ?? new Map<RoutineId, number>()
    const answers = (ofRoom.get(routine.id) ?? 0) + 1
    this.#unattended.set(routine.room, ofRoom.set(routine.id, answers))
    if (answers <= MAX_UNATTENDED) return false
    ofRoom.delete(routine.id)
    const why = `it answered ${MAX_UNATTENDED} times and nobody typed a line at a terminal`
    await this.#parts.runs.outcomes.trouble(routine, { why, effect: 'pause' })
    return true
  }

  /** True for a line that mentions somebody, or begins with the name of a present person. */
  async #isForSomebody({ room: name, text }: Line): Promise<boolean> {
    if (mentionedWords(text).length > 0 || namesAll(text)) return true
    const room = await this.#parts.rooms.anyRoom(name)
    return room?.present().some((person) => text.startsWith(`${person.name}:`)) === true
  }

  async #isSmall(room: Room): Promise<boolean> {
    const people = new Set(room.present().map(({ id }) => id))
    for (const { person, membership } of await this.#parts.members(room.name))
      if (membership !== 'invited') people.add(person.id)
    return people.size <= MAX_IN_SMALL_ROOM
  }

  /** True if the model's last answer was for this speaker, recently, and nobody else has spoken since. */
  async #isFollowUp(room: Room, line: Line, model: string): Promise<boolean> {
    const kinds = ['message', 'action', 'reply'] as const
    const before = await room.history({ limit: MAX_BEFORE, before: line.id, kinds, withoutThreads: true })
    const isReply = (entry: Entry): boolean =>
      entry.kind === 'reply' && (entry.persona ?? entry.author) === model && entry.outcome !== undefined
    const after = await room.history({ limit: MAX_BEFORE, after: line.id, kinds, withoutThreads: true })
    // A line said while the model answered comes before the answer in the log.
    const all = [...before, line, ...after]
    const last = all.findLastIndex(isReply)
    const answer = all[last]
    if (answer?.kind !== 'reply' || line.at - answer.at > FOLLOW_UP_MS) return false
    const since = all.slice(Math.min(last, all.indexOf(line)))
    if (since.some((entry) => entry.kind !== 'reply' && entry.by !== line.by)) return false
    const asked = await this.#parts.turns.asked(room.name, line.by, MAX_BEFORE)
    return asked.some(({ id }) => id === answer.turn)
  }

  #hasPace({ id }: Routine): boolean {
    const { routine_runs_per_hour: burst } = this.#parts.limits
    const rate = { burst, everyMs: 3_600_000 / burst }
    return this.#pace.take({ id: `routine ${id}` as PersonId }, 1, rate, 0) === 0
  }

  /** The stored routine; undefined if it is not active any more. */
  async #fresh<One extends Routine>(known: One): Promise<One | undefined> {
    const now = await this.#parts.store.byId(known.id)
    if (now?.state === 'active' && now.room === known.room) return { ...known, ...now }
    this.forget()
    return undefined
  }
}

const isWatch = (routine: Routine): routine is Watch =>
  routine.condition.kind === 'line' && routine.room !== null
const isListener = (routine: Routine): routine is Listener =>
  routine.condition.kind === 'each' && routine.room !== null
