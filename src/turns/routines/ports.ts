// routines/ has what runs by itself: an instruction stored in a room, "when this happens, this line is said
// there for this person". It must not know verbs, screens or databases. Times are in milliseconds since the
// epoch.
import type { Brand } from '../../base/basics.ts'
import type { RoomName } from '../../words/entry.ts'
import type { PersonId } from '../../words/person.ts'
import type { Spec } from './calendar.ts'

export type RoutineId = Brand<'RoutineId'>

/** When a routine runs. `asks`: the models that its text mentioned when it was made. */
export type Condition =
  | { readonly kind: 'once'; readonly at: number; readonly asks?: readonly string[] }
  | { readonly kind: 'calendar'; readonly spec: Spec; readonly asks?: readonly string[] }
  | WatchCondition
  | ListenCondition

/** A line of a person that has the words. */
export interface WatchCondition {
  readonly kind: 'line'
  readonly words: string
  readonly model: string
  readonly isRegex?: true
  /** Milliseconds in which further lines start no run. */
  readonly pauseMs?: number
  /** Lines that programs posted count, too. */
  readonly programs?: true
}

/** A person's lines without mention or command. Unless `all`, only follow-ups in a room of three or more. */
export interface ListenCondition {
  readonly kind: 'each'
  readonly model: string
  readonly all?: true
}

export interface NewRoutine {
  readonly id: RoutineId
  /** Null for a reminder to its person alone. */
  readonly room: RoomName | null
  readonly person: PersonId
  readonly text: string
  readonly condition: Condition
  /** Patterns of the tools that a run may call; null for all that are in scope. */
  readonly scope: readonly string[] | null
  /** The name of the zone in which the routine's times are computed and shown. */
  readonly zone: string
  /** Maximum tokens of a day in UTC. */
  readonly tokens: number | null
  readonly runsLeft: number | null
  readonly until: number | null
  /** The id of the login token that made the routine. */
  readonly token: number | null
  readonly at: number
  readonly nextAt: number | null
}

export interface RoutineProgress {
  readonly state: 'active' | 'paused' | 'ended'
  /** Why the routine is paused or has ended, as the end of a sentence; else empty. */
  readonly reason: string
  readonly runsLeft: number | null
  /** The next run, or the next attempt of a paused routine; null for none. */
  readonly nextAt: number | null
  readonly lastAt: number | null
  /** How the last run ended. */
  readonly outcome: string | null
  /** Failed runs in a row. */
  readonly failures: number
  /** When failures, or the cause that made a `once` routine wait, first paused it; else null. */
  readonly failingAt: number | null
}

export interface Routine extends NewRoutine, RoutineProgress {
  /** Counts up in the routine's room, or for its person if it has no room. */
  readonly number: number
  /** The last known login of the routine's person, or the time when the routine was made. */
  readonly seenAt: number
  readonly spent: DaySpending
}

/** Tokens that a routine's runs used on one day. */
export interface DaySpending {
  /** Days since the epoch, in UTC. */
  readonly day: number
  readonly tokens: number
}

/** The routines of a room, or a person's reminders without a room. */
export type RoutinePlace = { readonly room: RoomName } | { readonly alone: PersonId }

export interface RoutineCounts {
  readonly perPerson: number
  readonly perRoom: number
}

/** A claim of one run by one server. */
export interface RunClaim {
  /** The time of the run, as it was read from the routine. */
  readonly nextAt: number
  readonly by: string
  /** Milliseconds until the claim lapses, by the database's clock. */
  readonly ms: number
}

/**
 * Rejects with `StorageError` only, and then changed nothing. Routines follow a renamed room and are deleted
 * with their room or person. Ended ones stay for 30 days; a place's newest while its number is needed.
 */
export interface RoutineStore {
  /**
   * Adds an active routine with the next number of its place. `person` or `room`: that one has `most`
   * routines that have not ended. Rejects for an unknown room or person.
   */
  add(routine: NewRoutine, most: RoutineCounts): Promise<Routine | 'person' | 'room'>
  /** Also finds an ended routine. */
  find(place: RoutinePlace, number: number): Promise<Routine | undefined>
  byId(id: RoutineId): Promise<Routine | undefined>
  /** A person's reminder without a room that rang last, or is claimed and rings now. */
  lastRung(person: PersonId): Promise<Routine | undefined>
  /** The routines that have not ended, of a room, a person or the server, by room and number. */
  list(of: { readonly room?: RoomName; readonly person?: PersonId }): Promise<readonly Routine[]>
  /** The active routines of a room, and of these people everywhere. */
  activeFor(room: RoomName, people: readonly PersonId[]): Promise<readonly Routine[]>
  /** At most `most` routines with the earliest `nextAt`, in that order. */
  upcoming(most: number): Promise<readonly Routine[]>
  /** `lapsed`: an earlier claim lapsed, so the line may have been said. Undefined if claimed or not next. */
  claim(id: RoutineId, claim: RunClaim): Promise<'claimed' | 'lapsed' | undefined>
  /**
   * Changes the given columns and ends any claim. With `expected`, resolves to false, and changes nothing, if
   * the routine is in another state or was claimed by another server.
   */
  update(
    id: RoutineId,
    change: Partial<RoutineProgress>,
    expected?: { readonly state?: RoutineProgress['state']; readonly claimedBy?: string },
  ): Promise<boolean>
  /** Adds to the tokens of this day; replaces the tokens of another day. */
  spend(id: RoutineId, spent: DaySpending): Promise<void>
  /** Stores that a person logged in. */
  seen(person: PersonId, at: number): Promise<void>
}
