/** checks/ compares what clients saw with what the database says. It must not know how a fault is made, or what a server is inside. */

import type { Act, History, Moment } from '../history.ts'
import type { Played } from '../run.ts'

/** Something that should not be, with the shortest part of the history that shows it. */
export interface Finding {
  readonly what: string
  /** Lines for people, in the order of time as far as they have one. */
  readonly shown: readonly string[]
}

export interface Check {
  readonly name: string
  readonly judge: (played: Played) => readonly Finding[]
}

/** Before and after something, in which a fault may have to do with it. */
const NEAR_MS = 15_000

export const at = (moment: Moment | undefined): string =>
  moment === undefined || moment === Infinity ? 'never' : `${(moment / 1000).toFixed(2)} s`

export const described = ({
  client,
  kind,
  mark,
  room,
  machine,
  begunAt,
  endedAt,
  outcome,
  detail,
}: Act): string =>
  `${at(begunAt)} to ${at(endedAt)}: ${client} on ${machine}: ${kind} ${mark} in ${room}: ${outcome}: ${detail}`

/** The faults that were under way then, or nearly. */
export const faultsNear = ({ faults }: History, from: Moment, to: Moment = from): readonly string[] =>
  faults
    .filter(({ begunAt, endedAt }) => begunAt <= to + NEAR_MS && (endedAt ?? Infinity) >= from - NEAR_MS)
    .map(
      ({ name, machine, begunAt, endedAt }) =>
        `fault from ${at(begunAt)} to ${at(endedAt)}: ${name}${machine === undefined ? '' : ` on ${machine}`}`,
    )
