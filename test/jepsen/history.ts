/** Milliseconds since the run began, of a clock that never goes back. */
export type Moment = number

/** What somebody does that puts a line with a mark of its own into the log. */
export type MarkedKind = 'say' | 'me' | 'edit' | 'ask'

/** `done`: it was acknowledged. `refused`: it was answered with a reason. `unknown`: nobody knows. */
export type Outcome = 'done' | 'refused' | 'unknown'

export interface Act {
  readonly client: string
  readonly machine: string
  readonly kind: MarkedKind | 'retract' | 'react' | 'create' | 'join' | 'stop' | 'who' | 'ban' | 'unban'
  /** Where; of what is done on the whole server, empty. */
  readonly room: string
  /** The word by which its line is known, unlike all others; of a ban, whom it names. */
  readonly mark: string
  readonly begunAt: Moment
  endedAt: Moment
  outcome: Outcome
  detail: string
}

/** Being in a room, from when it was asked for to when another was asked for, or the visit was over. */
export interface Stay {
  readonly room: string
  readonly askedAt: Moment
  readonly from: Moment
  until: Moment | undefined
}

/** A session from the login to the end, and all that its screen showed. */
export interface Visit {
  readonly client: string
  readonly machine: string
  readonly openedAt: Moment
  /** Undefined for those that were there at the end of the run. */
  endedAt: Moment | undefined
  /** The client itself ended it. */
  isOwnWish: boolean
  readonly stays: Stay[]
  screen: string
}

/** Something that was done to the servers, or to what they need. */
export interface Fault {
  readonly name: string
  /** Which server it concerns; undefined for all. */
  readonly machine: string | undefined
  /** Whether that server, or all, may have been without the database, or stood still. */
  readonly hurts: boolean
  readonly begunAt: Moment
  /** Undefined while it goes on. */
  endedAt: Moment | undefined
}

/** Who was said to be in a room. */
export interface Roll {
  readonly room: string
  readonly machine: string
  readonly names: readonly string[]
  readonly askedAt: Moment
  readonly answeredAt: Moment
}

/** All that is known of a run from outside. */
export interface History {
  readonly acts: Act[]
  readonly visits: Visit[]
  readonly faults: Fault[]
  readonly rolls: Roll[]
  /** Of the end of the run, when all was whole again: one for each room and server. */
  readonly lastRolls: Roll[]
  now(): Moment
}

export function createHistory(): History {
  const begun = performance.now()
  return {
    acts: [],
    visits: [],
    faults: [],
    rolls: [],
    lastRolls: [],
    now: () => Math.round(performance.now() - begun),
  }
}

/** Whether a server may have been without the database, or stood still, at some time between two moments. */
export const isHurt = ({ faults }: History, machine: string, from: Moment, to: Moment): boolean =>
  faults.some(
    (fault) =>
      fault.hurts &&
      (fault.machine ?? machine) === machine &&
      fault.begunAt <= to &&
      (fault.endedAt ?? Infinity) >= from,
  )
