import { isHurt, type History, type Roll, type Stay, type Visit } from '../history.ts'
import { LEASE_MS, type Played } from '../run.ts'
import type { StoredEntry } from '../truth.ts'
import { at, type Check, faultsNear, type Finding } from './finding.ts'

/** Who came has left before they come again, and the other way round. */
export const told: Check = {
  name: 'nobody is said to have come or left twice in a row, and the last that was said is true',
  judge(played) {
    const { truth } = played
    const changes = new Map<string, StoredEntry[]>()
    for (const entry of truth.entries)
      if (entry.kind === 'presence')
        for (const name of new Set([...comers(entry), ...leavers(entry)])) {
          const key = `${name} ${entry.room}`
          changes.set(key, [...(changes.get(key) ?? []), entry])
        }
    return [...changes].flatMap(([key, entries]) => alternation(played, key, entries))
  },
}

const comers = ({ data, text }: StoredEntry): readonly string[] =>
  data.event === 'summed'
    ? (data.joined ?? [])
    : data.event === 'joined'
      ? [text.replace(/ joined$/, '')]
      : []

const leavers = ({ data, text }: StoredEntry): readonly string[] =>
  data.event === 'summed' ? (data.left ?? []) : data.event === 'left' ? [text.replace(/ left$/, '')] : []

function alternation(
  { history, truth }: Played,
  key: string,
  entries: readonly StoredEntry[],
): readonly Finding[] {
  const [name = '', room = ''] = key.split(' ')
  const count = (names: readonly string[]): number => names.filter((one) => one === name).length
  let here = 0
  for (const [place, entry] of entries.entries()) {
    here += count(comers(entry)) - count(leavers(entry))
    if (here === 0 || here === 1) continue
    const shown = entries.slice(Math.max(0, place - 2), place + 1).map(({ id, text }) => `${id} ${text}`)
    return [
      {
        what: `in ${room}: ${here > 1 ? `${name} came twice` : `${name} left twice`}`,
        shown: [...shown, ...visitsOf(history, name)],
      },
    ]
  }
  const held = truth.held.filter((change) => change.room === room && change.name === name)
  const said = here + held.reduce((sum, { event }) => sum + (event === 'joined' ? 1 : -1), 0)
  const isHere = history.visits.some(
    (visit) => visit.client === name && visit.endedAt === undefined && visit.stays.at(-1)?.room === room,
  )
  if (said === Number(isHere)) return []
  const shown = entries.slice(-3).map(({ id, text }) => `${id} ${text}`)
  return [
    {
      what: `in ${room}: ${name} is ${isHere ? '' : 'not '}there, and the log says otherwise`,
      shown: [...shown, ...visitsOf(history, name)],
    },
  ]
}

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
