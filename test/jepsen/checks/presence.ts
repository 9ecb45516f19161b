import { isHurt, type History, type Roll, type Stay, type Visit } from '../history.ts'
import { LEASE_MS } from '../run.ts'
import { at, type Check, faultsNear, type Finding } from './finding.ts'

const visitsOf = ({ visits, ...history }: History, name: string): readonly string[] => [
  ...visits
    .filter(({ client }) => client === name)
    .map(
      ({ machine, openedAt, endedAt, stays }) =>
        `${at(openedAt)} to ${at(endedAt)}: ${name} on ${machine}: ${stays.map(({ room, from }) => `${room} from ${at(from)}`).join(', ')}`,
    ),
  ...faultsNear({ visits, ...history }, 0, Infinity),
]

/** Who is there and whose server works is named, and nobody else, but for as long as a lease lasts. */
export const rolls: Check = {
  name: 'who says who is in a room, on every server, within the time of a lease',
  judge: ({ history }) => [
    ...history.rolls
      .filter((roll) => !isHurt(history, roll.machine, roll.askedAt - LEASE_MS, roll.answeredAt))
      .flatMap((roll) => wrongIn(history, roll, LEASE_MS)),
    ...history.lastRolls.flatMap((roll) => wrongIn(history, roll, 0)),
  ],
}

function wrongIn(history: History, roll: Roll, within: number): readonly Finding[] {
  const { room, machine, names, askedAt, answeredAt } = roll
  const from = askedAt - within
  const stays = history.visits.flatMap((visit) =>
    visit.stays.filter((stay) => stay.room === room).map((stay) => ({ visit, stay })),
  )
  const isThroughout = ({ visit, stay }: { visit: Visit; stay: Stay }): boolean =>
    stay.from <= from &&
    (stay.until ?? Infinity) >= answeredAt &&
    !isHurt(history, visit.machine, from, answeredAt)
  const wasThere = ({ visit, stay }: { visit: Visit; stay: Stay }): boolean =>
    stay.askedAt <= answeredAt &&
    ((stay.until ?? Infinity) >= from || isHurt(history, visit.machine, stay.until ?? 0, answeredAt))
  const missing = [...new Set(stays.filter(isThroughout).map(({ visit }) => visit.client))].filter(
    (name) => !names.includes(name),
  )
  const ghosts = names.filter((name) => !stays.some((one) => one.visit.client === name && wasThere(one)))
  return [
    ...missing.map((name) => ({ name, what: `${machine} does not know that ${name} is in ${room}` })),
    ...ghosts.map((name) => ({ name, what: `${machine} says that ${name} is in ${room}` })),
  ].map(({ name, what }) => ({
    what: `${what}: at ${at(askedAt)}`,
    shown: [`it said: ${names.join(' ')}`, ...visitsOf(history, name)],
  }))
}
