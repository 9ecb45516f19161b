import { counted, duration } from '../../base/amounts.ts'
import type { Alarm, Clock } from '../../base/environment.ts'
import { zoneOf } from '../../base/zone.ts'
import { mayManage, type PeopleStore, type Room, type Rooms } from '../../chat/index.ts'
import { messageText, type MessageLimits } from '../../chat/text/index.ts'
import type { RoutineEntry, RoomName } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import { mentions } from '../../words/mentions.ts'
import type { Person, PersonId } from '../../words/person.ts'
import { nextRun, timeText } from './calendar.ts'
import { routineText } from './describe.ts'
import type { Condition, NewRoutine, Routine, RoutineId, RoutinePlace, RoutineStore } from './ports.ts'
import { modelsOf, type RoutinePolicy, useOf, whyNoRoutine } from './rights.ts'
import { checkWords } from './words.ts'

/** A person's request for a routine. The models that `text` mentions are found when the routine is made. */
export interface RoutineDraft extends Pick<
  NewRoutine,
  'text' | 'condition' | 'zone' | 'scope' | 'tokens' | 'until'
> {
  /** Null for a reminder to the person alone. */
  readonly room: Room | null
  readonly runs: number | null
}

export interface ListedRoutine extends Routine {
  /** The current name of the routine's person. */
  readonly by: string
  /** Set if the viewer may not read the room, and must not see its name and words. `text` is empty. */
  readonly isHidden?: true
}

/** The routines of a room as people in it see them. */
export interface ShownRoutines {
  /** The models that listen in the room, each once. */
  readonly listeners: readonly string[]
  /** The time of the room's next run. */
  readonly next?: number
  /** The times of people's next own runs, in any room. */
  readonly nextOf: ReadonlyMap<PersonId, number>
}

/** Keys of `[limits]`. */
export interface RoutineLimits extends MessageLimits {
  readonly routines_per_person: number
  readonly routines_per_room: number
}

export interface RoutinesParts {
  readonly store: RoutineStore
  readonly people: Pick<PeopleStore, 'byIds'>
  readonly rooms: Pick<Rooms, 'get' | 'anyRoom' | 'lobby'>
  /** The names that a mention in the room can ask. */
  readonly models: (room: RoomName) => readonly string[] | Promise<readonly string[]>
  readonly policy: () => RoutinePolicy
  readonly limits: RoutineLimits
  readonly clock: Clock & Alarm
  readonly nextId: () => string
  /** Removes the grants of a routine. Rejects with `StorageError`. */
  readonly endGrants: (id: RoutineId) => Promise<void>
  /** Called after a change, so that triggers and the next run are read again. */
  readonly changed: () => void
}

const MINUTE_MS = 60_000
const MIN_INTERVAL_MS = MINUTE_MS
/** The shortest interval of a routine that asks a model. */
const MIN_ASKING_INTERVAL_MS = 5 * MINUTE_MS

/** Makes, lists and changes routines. Methods reject with `Refusal` or `StorageError`. */
export class Routines {
  readonly #parts: RoutinesParts

  constructor(parts: RoutinesParts) {
    this.#parts = parts
  }

  async make(person: Person, draft: RoutineDraft): Promise<Routine> {
    const { store, limits, clock, nextId } = this.#parts
    const { room, zone, scope, tokens, runs } = draft
    const known = room ? await this.#parts.models(room.name) : []
    const condition = withModels(draft, known)
    await this.#needRight(person, room, condition)
    checkCondition(condition, known)
    const text = condition.kind === 'each' ? '' : messageText(draft.text, limits)
    const at = clock.now()
    const until = earliest(draft.until, person.login?.certifiedUntil, person.login?.token?.until)
    const nextAt = nextTime({ condition, zone, at }, at)
    if (until !== null && (nextAt ?? at) > until)
      throw new Refusal(`it would never run: it ends ${timeText(until, zoneOf(zone))}`)
    const routine: NewRoutine = {
      id: nextId() as RoutineId,
      room: room?.name ?? null,
      person: person.id,
      text,
      condition,
      scope,
      zone,
      tokens,
      runsLeft: runs,
      until,
      token: person.login?.token?.id ?? null,
      at,
      nextAt,
    }
    const { routines_per_person: perPerson, routines_per_room: perRoom } = limits
    const made = await store.add(routine, { perPerson, perRoom })
    if (made === 'person')
      throw new Refusal(`you have ${counted(perPerson, 'routine')}, which is the limit (routines_per_person)`)
    if (made === 'room')
      throw new Refusal(
        `${room?.name} has ${counted(perRoom, 'routine')}, which is the limit (routines_per_room)`,
      )
    await this.#record(made, person, 'made', `made routine ${made.number}: ${routineText(made)}`)
    this.#parts.changed()
    return made
  }

  /** Lists unended routines: of a room that the person may read, their own, or the server's (admins only). */
  async list(person: Person, of: Room | 'mine' | 'all'): Promise<readonly ListedRoutine[]> {
    const { store, people } = this.#parts
    if (of === 'all' && !person.admin) throw new Refusal('only admins can list the routines of the server')
    const found = await store.list(
      of === 'all' ? {} : of === 'mine' ? { person: person.id } : { room: of.name },
    )
    const names = new Map<PersonId, string>()
    for (const { id, name } of await people.byIds([...new Set(found.map((one) => one.person))]))
      names.set(id, name)
    const readable = of === 'all' ? await this.#readable(person, found) : undefined
    return found.map((one) => {
      const isOwn = one.person === person.id
      const mayRead = isOwn || !readable || (one.room !== null && readable.has(one.room))
      return { ...one, ...(mayRead ? {} : { text: '', isHidden: true }), by: names.get(one.person) ?? '' }
    })
  }

  async pause(person: Person, place: RoutinePlace, number: number): Promise<void> {
    const routine = await this.#changeable(person, place, number)
    const reason = `${person.name} paused it`
    await this.#parts.store.update(routine.id, { state: 'paused', reason, nextAt: null, failingAt: null })
    await this.#changed(routine, person, 'paused', 'paused')
  }

  async resume(person: Person, place: RoutinePlace, number: number): Promise<void> {
    const routine = await this.#changeable(person, place, number)
    const now = this.#parts.clock.now()
    if (routine.state === 'active') throw new Refusal(`routine ${number} is not paused`)
    // Catches up at once on a time that has passed meanwhile.
    const nextAt = routine.condition.kind === 'once' ? routine.condition.at : nextTime(routine, now)
    await this.#parts.store.update(
      routine.id,
      { state: 'active', reason: '', nextAt, failures: 0, failingAt: null },
      { state: 'paused' },
    )
    await this.#changed(routine, person, 'changed', 'resumed')
  }

  async end(person: Person, place: RoutinePlace, number: number): Promise<void> {
    const routine = await this.#changeable(person, place, number)
    await this.#parts.store.update(routine.id, {
      state: 'ended',
      reason: `${person.name} ended it`,
      nextAt: null,
    })
    await this.#parts.endGrants(routine.id)
    await this.#changed(routine, person, 'ended', 'ended')
  }

  /** Returns nothing while the operator has turned routines off. */
  async shown(room: RoomName, people: readonly PersonId[]): Promise<ShownRoutines> {
    const { store, policy } = this.#parts
    const listeners = new Set<string>()
    const nextOf = new Map<PersonId, number>()
    let next = Infinity
    const active = policy().enabled ? await store.activeFor(room, people) : []
    for (const { room: place, person, condition, nextAt } of active) {
      const at = nextAt ?? Infinity
      if (place === room && condition.kind === 'each') listeners.add(condition.model)
      if (place === room) next = Math.min(next, at)
      if (at < (nextOf.get(person) ?? Infinity)) nextOf.set(person, at)
    }
    return { listeners: [...listeners], nextOf, ...(next < Infinity ? { next } : {}) }
  }

  /** Must be called after something else has removed routines. */
  removed(): void {
    this.#parts.changed()
  }

  /** Repeats the text of the reminder that rang last, after `ms`. Throws `Refusal` if none rang. */
  async remindAgain(person: Person, ms: number): Promise<Routine> {
    const last = await this.#parts.store.lastRung(person.id)
    if (!last) throw new Refusal('no reminder has rung for you yet; /remind 10m TEXT makes one')
    const { text, zone } = last
    const condition = { kind: 'once', at: this.#parts.clock.now() + ms } as const
    const none = { room: null, scope: null, tokens: null, until: null, runs: null }
    return await this.make(person, { ...none, text, zone, condition })
  }

  async #needRight(person: Person, room: Room | null, condition: Condition): Promise<void> {
    const role = await (room ?? (await this.#parts.rooms.lobby())).roleOf(person)
    const why = whyNoRoutine(this.#parts.policy(), useOf(condition), person, role)
    if (why !== undefined) throw new Refusal(why)
    room?.needVoice(person)
  }

  /** People may change their own routines, ops and the owner those of their room, and admins all. */
  async #changeable(person: Person, place: RoutinePlace, number: number): Promise<Routine> {
    const routine = await this.#parts.store.find(place, number)
    if (!routine || routine.state === 'ended')
      throw new Refusal(`there is no routine ${number} here; /routines lists them`)
    if (routine.person === person.id || person.admin) return routine
    const room = routine.room === null ? undefined : await this.#parts.rooms.anyRoom(routine.room)
    if (room && mayManage(await room.roleOf(person))) return routine
    throw new Refusal(`only its person, ops, the owner of the room and admins can change routine ${number}`)
  }

  async #changed(routine: Routine, by: Person, event: RoutineEntry['event'], did: string): Promise<void> {
    await this.#record(routine, by, event, `${did} routine ${routine.number}: ${routineText(routine)}`)
    this.#parts.changed()
  }

  async #record(
    { room, number }: Routine,
    { id: by, name: author }: Person,
    event: RoutineEntry['event'],
    did: string,
  ): Promise<void> {
    const told = room === null ? undefined : await this.#parts.rooms.anyRoom(room)
    await told?.record({ kind: 'routine', author, by, routine: number, event, text: `${author} ${did}` })
  }

  async #readable(person: Person, routines: readonly Routine[]): Promise<ReadonlySet<RoomName>> {
    const rooms = [...new Set(routines.flatMap(({ room }) => room ?? []))]
    const readable = new Set<RoomName>()
    for (const name of rooms)
      await this.#parts.rooms.get(name, person).then(
        () => readable.add(name),
        (error: unknown) => {
          if (!(error instanceof Refusal)) throw error
        },
      )
    return readable
  }
}

function withModels({ condition, text, room }: RoutineDraft, known: readonly string[]): Condition {
  if (condition.kind === 'line' || condition.kind === 'each') return condition
  const { asks: _, ...when } = condition
  const asks = room ? mentions(text, known) : []
  return asks.length > 0 ? { ...when, asks } : when
}

/** Throws `Refusal`. */
function checkCondition(condition: Condition, known: readonly string[]): void {
  const unknown = modelsOf(condition).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Refusal(`there is no model @${unknown}; see /models`)
  if (condition.kind === 'line') checkWords(condition)
  if (condition.kind !== 'calendar' || condition.spec.every !== 'interval') return
  const least = condition.asks ? MIN_ASKING_INTERVAL_MS : MIN_INTERVAL_MS
  if (condition.spec.ms >= least) return
  const what = condition.asks ? 'a routine that asks a model' : 'a routine'
  throw new Refusal(`${what} has at least ${duration(least)} between its runs`)
}

/** Null for a routine that waits for lines. */
export function nextTime(
  { condition, zone, at, nextAt }: Pick<NewRoutine, 'condition' | 'zone' | 'at'> & { nextAt?: number | null },
  after: number,
): number | null {
  if (condition.kind === 'once') return condition.at
  if (condition.kind === 'calendar') return nextRun(condition.spec, zoneOf(zone), after, nextAt ?? at)
  return null
}

function earliest(...times: readonly (number | null | undefined)[]): number | null {
  const known = times.filter((time): time is number => typeof time === 'number')
  return known.length === 0 ? null : Math.min(...known)
}
