import type { RoomName } from '../words/entry.ts'
import type { Person, Role } from '../words/person.ts'
import type { PeopleStore, RoomRecord, RoomStore } from './ports.ts'

export type RoomLookup = Pick<RoomStore, 'find' | 'membership' | 'members'>

export interface Audience {
  readonly viewer: Person
  /** The room whose log records the answer, so that all its readers see the answer. */
  readonly toldIn?: RoomName
}

/**
 * True if the viewer may read the room. Only members may read a private room: no invited people and no
 * admins. A token reaches only its own rooms, and a plain member of one room no other private room. A tool's
 * result is recorded in `toldIn`, so everybody who can read that room must be allowed too: a public `toldIn`
 * admits only public rooms. Rejects with `StorageError`.
 */
export async function isVisible(
  rooms: RoomLookup,
  room: RoomRecord,
  { viewer, toldIn }: Audience,
): Promise<boolean> {
  if (isBeyondToken(room, viewer)) return false
  if (!room.private) return true
  if (viewer.plainMemberOf !== undefined && viewer.plainMemberOf !== room.name) return false
  if (!isMember(await rooms.membership(room.name, viewer.id))) return false
  return toldIn === undefined || toldIn === room.name || (await allMaySee(rooms, toldIn, room.name))
}

export async function isKnown(rooms: RoomLookup, room: RoomRecord, audience: Audience): Promise<boolean> {
  if (await isVisible(rooms, room, audience)) return true
  const { viewer, toldIn } = audience
  if (isBeyondToken(room, viewer) || viewer.plainMemberOf !== undefined) return false
  return toldIn === undefined && (await rooms.membership(room.name, viewer.id)) === 'invited'
}

const isBeyondToken = ({ name }: RoomRecord, { login }: Person): boolean =>
  login?.token?.rooms?.has(name) === false

const isMember = (membership: Awaited<ReturnType<RoomLookup['membership']>>): boolean =>
  membership !== undefined && membership !== 'invited'

/** True if `readers` is private and all its people, also the invited, are members of the private `room`. */
async function allMaySee(rooms: RoomLookup, readers: RoomName, room: RoomName): Promise<boolean> {
  if (!(await rooms.find(readers))?.private) return false
  const [reading, members] = await Promise.all([rooms.members(readers), rooms.members(room)])
  const insiders = new Set(
    members.filter(({ membership }) => isMember(membership)).map(({ person }) => person.id),
  )
  return reading.every(({ person }) => insiders.has(person.id))
}

interface RoleStores {
  readonly rooms: Pick<RoomStore, 'membership'>
  readonly people: Pick<PeopleStore, 'byId'>
}

export async function roleIn(room: RoomName, person: Person, { rooms, people }: RoleStores): Promise<Role> {
  if (person.guest) return 'guest'
  if (person.plainMemberOf !== undefined) return 'member'
  // Reads the store each time, because a person may become an admin during their session.
  const [now, membership] = await Promise.all([people.byId(person.id), rooms.membership(room, person.id)])
  if (person.admin || now?.admin) return 'admin'
  return membership === 'owner' || membership === 'op' ? membership : 'member'
}

/** True for roles that set a room's topic, vibe, scope, script and key-values. */
export const mayManage = (role: Role): boolean => role === 'admin' || role === 'owner' || role === 'op'
