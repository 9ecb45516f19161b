import type { RoomName } from './entry.ts'
import { Refusal } from './errors.ts'
import type { Sanctions } from './moderation/sanctions.ts'
import type { Person, Role } from './people/person.ts'
import type { PeopleStore, RoomRecord, RoomStore } from './ports.ts'

/** What is asked of the store to find out who may see a room. */
export type RoomLookup = Pick<RoomStore, 'find' | 'membership' | 'members'>

/** Everybody who learns what is found out about a room. */
export interface Audience {
  /** The person who asks. */
  readonly viewer: Person
  /**
   * The room in whose log the answer is written. All who read that room learn it, so all of them must be
   * allowed to. Absent if the viewer alone is told.
   */
  readonly toldIn?: RoomName
}

/**
 * True if an audience may know what is in a room. Everybody may read a public room. A private one is open to
 * its members; those who are invited read nothing before they join, and admins are no exception. For a token
 * that is bound to rooms there are no others. Rejects with `StorageError`.
 */
export async function isVisible(
  rooms: RoomLookup,
  room: RoomRecord,
  { viewer, toldIn }: Audience,
): Promise<boolean> {
  if (isBeyondToken(room, viewer)) return false
  if (!room.private) return true
  if (!isMember(await rooms.membership(room.name, viewer.id))) return false
  return toldIn === undefined || toldIn === room.name || (await allMaySee(rooms, toldIn, room.name))
}

/** True if an audience may know that a room exists. Invited people may, if nobody else is told. */
export async function isKnown(rooms: RoomLookup, room: RoomRecord, audience: Audience): Promise<boolean> {
  if (await isVisible(rooms, room, audience)) return true
  const { viewer, toldIn } = audience
  if (isBeyondToken(room, viewer)) return false
  return toldIn === undefined && (await rooms.membership(room.name, viewer.id)) === 'invited'
}

const isBeyondToken = ({ name }: RoomRecord, { login }: Person): boolean =>
  login?.token?.rooms?.has(name) === false

const isMember = (membership: Awaited<ReturnType<RoomLookup['membership']>>): boolean =>
  membership !== undefined && membership !== 'invited'

/** True if all who read one room, or may soon, are members of the other, private one. */
async function allMaySee(rooms: RoomLookup, readers: RoomName, room: RoomName): Promise<boolean> {
  if (!(await rooms.find(readers))?.private) return false
  const [reading, members] = await Promise.all([rooms.members(readers), rooms.members(room)])
  const insiders = new Set(
    members.filter(({ membership }) => isMember(membership)).map(({ person }) => person.id),
  )
  return reading.every(({ person }) => insiders.has(person.id))
}

/** What says who somebody is in a room. */
export interface RoleStores {
  readonly rooms: Pick<RoomStore, 'membership'>
  readonly people: Pick<PeopleStore, 'byId'>
}

/** What a person may do in a room. Rejects with `StorageError`. */
export async function roleIn(room: RoomName, person: Person, { rooms, people }: RoleStores): Promise<Role> {
  if (person.guest) return 'guest'
  // The store is asked each time, because a person may become an admin while their session lasts; the
  // config's are by their login.
  const [now, membership] = await Promise.all([people.byId(person.id), rooms.membership(room, person.id)])
  if (person.admin || now?.admin) return 'admin'
  return membership === 'owner' || membership === 'op' ? membership : 'member'
}

/**
 * No ban holds the owner and admins; nobody comes into a room that is being deleted. Rejects with `Refusal`.
 */
export async function refuseBanned(
  why: string,
  room: RoomName,
  person: Person,
  parts: RoleStores & { readonly sanctions: Pick<Sanctions, 'isGone'> },
): Promise<void> {
  const role = parts.sanctions.isGone(room) ? 'guest' : await roleIn(room, person, parts)
  if (role !== 'admin' && role !== 'owner') throw new Refusal(why)
}

/** Admins come into a full room, too. Rejects with `Refusal`. */
export async function refuseLate(
  limit: number,
  room: RoomName,
  person: Person,
  stores: RoleStores,
): Promise<void> {
  if ((await roleIn(room, person, stores)) === 'admin') return
  throw new Refusal(`${room} is full: ${limit} of ${limit} people are in it; try again later`)
}

/** Who sets a room's topic, vibe, scope, script and key-values. */
export const mayManage = (role: Role): boolean => role === 'admin' || role === 'owner' || role === 'op'
