import { DAY_MS } from '../../base/amounts.ts'
import type { Clock } from '../../base/environment.ts'
import type { PeopleStore, Room, Rooms } from '../../chat/index.ts'
import type { Sanctions } from '../../chat/moderation/index.ts'
import type { StoredToken, TokenStore } from '../../chat/people/index.ts'
import { Refusal } from '../../words/errors.ts'
import type { RoomName } from '../../words/entry.ts'
import type { Fingerprint, Login, Person, PersonId } from '../../words/person.ts'
import type { Routine } from './ports.ts'
import { modelsOf, type RoutinePolicy, type RoutineUse, useOf, whyNoRoutine } from './rights.ts'

/** The person of a run with their current rights, and its room; null for a reminder to its person alone. */
export interface Requester {
  readonly person: Person
  readonly room: Room | null
}

/** `end`: the routine ends; `pause`: until somebody resumes it; `wait`: until the cause has passed. */
export interface Trouble {
  readonly why: string
  readonly effect: 'end' | 'pause' | 'wait'
}

export interface RequesterParts {
  readonly people: Pick<PeopleStore, 'byId' | 'keysOf'>
  readonly tokens: Pick<TokenStore, 'list'>
  readonly rooms: Pick<Rooms, 'get' | 'lobby'>
  readonly sanctions: Pick<Sanctions, 'whyOut'>
  readonly isConfigAdmin: (key: Fingerprint) => boolean
  /** The names that a mention in the room can ask. */
  readonly models: (room: RoomName) => readonly string[] | Promise<readonly string[]>
  /** Rejects with `Refusal` if a token quota is used up. */
  readonly checkQuotas: (room: RoomName, requester: Person) => Promise<void>
  readonly policy: () => RoutinePolicy
  readonly clock: Clock
}

const MAX_ABSENCE_DAYS = 90

/** Looks up the person again: a run has their current rights. Rejects with `StorageError`. */
export async function findRequester(routine: Routine, parts: RequesterParts): Promise<Requester | Trouble> {
  const now = parts.clock.now()
  const stored = await parts.people.byId(routine.person)
  if (!stored) return { why: 'the person who made it is no longer registered', effect: 'end' }
  if (routine.until !== null && now > routine.until) return { why: 'its last day is over', effect: 'end' }
  if (now - routine.seenAt > MAX_ABSENCE_DAYS * DAY_MS)
    return { why: `${stored.name} has not logged in for ${MAX_ABSENCE_DAYS} days`, effect: 'end' }
  const token = await tokenOf(routine, now, parts)
  if (token === 'ended') return { why: 'the token that made it has ended', effect: 'end' }
  const people = await loginsOf(stored, token, parts)
  try {
    return await admit(routine, people, parts)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { why: error.message, effect: 'pause' }
  }
}

/** The script's author speaks as plain member. Rejects with `Refusal` if they may not, or `StorageError`. */
export async function findScriptPerson(
  room: RoomName,
  id: PersonId,
  asks: boolean,
  parts: RequesterParts,
): Promise<Person> {
  const stored = await parts.people.byId(id)
  if (!stored) throw new Refusal('the person who set the script is no longer registered')
  const people = await loginsOf(stored, undefined, parts)
  const admitted = await admitTo(room, { verb: 'watch', asks }, people, parts)
  for (const one of people) admitted.room?.needVoice(one)
  return admitted.person
}

/** Looks up a line's speaker: as present, or as stored. */
export const findSpeaker = async (
  room: Room,
  id: PersonId,
  parts: RequesterParts,
): Promise<Person | undefined> => {
  const present = room.present().find((one) => one.id === id)
  const stored = present ?? (await parts.people.byId(id))
  return present ?? (stored && (await loginsOf(stored, undefined, parts))[0])
}

async function tokenOf(
  { token, person }: Routine,
  now: number,
  { tokens }: RequesterParts,
): Promise<StoredToken | 'ended' | undefined> {
  if (token === null) return undefined
  return (await tokens.list(person, now)).find(({ id }) => id === token) ?? 'ended'
}

/** The person once for each key, because a ban may name any key; once for an admin by the config. */
async function loginsOf(
  stored: Person,
  token: StoredToken | undefined,
  { people, isConfigAdmin }: RequesterParts,
): Promise<readonly [Person, ...Person[]]> {
  const keys = await people.keysOf(stored.id)
  const adminKey = keys.find(isConfigAdmin)
  const admin = stored.admin || adminKey !== undefined
  const withKey = (key: Fingerprint): Person => ({ ...stored, admin, login: loginOf(stored, key, token) })
  const [first, ...others] = adminKey === undefined ? keys : [adminKey]
  const own = first ?? token?.key ?? undefined
  return own === undefined ? [{ ...stored, admin }] : [withKey(own), ...others.map(withKey)]
}

function loginOf({ id }: Person, key: Fingerprint, token: StoredToken | undefined): Login {
  // There is no connection, so the network of these quotas is the person's own.
  const login = { key, network: `routines of ${id}` }
  if (!token) return login
  const rooms = token.rooms === null ? {} : { rooms: new Set<string>(token.rooms) }
  return { ...login, token: { id: token.id, until: token.until, ...rooms } }
}

/** Throws `Refusal` for a problem that somebody has to fix. */
async function admit(
  routine: Routine,
  people: readonly [Person, ...Person[]],
  parts: RequesterParts,
): Promise<Requester | Trouble> {
  const { person, room } = await admitTo(routine.room, useOf(routine.condition), people, parts)
  const passing = room ? await whyWait(routine, room, people, parts) : undefined
  return passing === undefined ? { person, room } : { why: passing, effect: 'wait' }
}

/** Throws `Refusal` if the person, with any of their keys, may not do this in the room. */
async function admitTo(
  name: RoomName | null,
  use: RoutineUse,
  people: readonly [Person, ...Person[]],
  { rooms, sanctions, policy }: RequesterParts,
): Promise<Requester> {
  const [person] = people
  if (people.some((one) => sanctions.whyOut(one) !== undefined)) throw new Refusal(`${person.name} is banned`)
  let room: Room | null = null
  if (name !== null) for (const one of people) room = await rooms.get(name, one)
  const role = await (room ?? (await rooms.lobby())).roleOf(person)
  const why = whyNoRoutine(policy(), use, person, role)
  if (why !== undefined) throw new Refusal(`${person.name} may not make it any more: ${why}`)
  return { person, room }
}

async function whyWait(
  { condition }: Routine,
  room: Room,
  people: readonly [Person, ...Person[]],
  { models, checkQuotas }: RequesterParts,
): Promise<string | undefined> {
  const asked = modelsOf(condition)
  const known = await models(room.name)
  const gone = asked.find((name) => !known.includes(name))
  if (gone !== undefined) return `there is no model @${gone} now`
  try {
    for (const one of people) room.needVoice(one)
    // A listener's answer is charged to the speaker of the line.
    if (asked.length > 0 && condition.kind !== 'each') await checkQuotas(room.name, people[0])
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.message
  }
  return undefined
}
