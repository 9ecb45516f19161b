import type { RoomName } from './entry.ts'
import type { Person } from './people/person.ts'
import type { RoomRecord, RoomStore } from './ports.ts'

/** What is asked of the store to find out who may see a room. */
export type RoomLookup = Pick<RoomStore, 'find' | 'membership' | 'members'>

/** Everybody who learns what is found out about a room. */
export interface Audience {
  /** The person who asks. */
  readonly viewer: Person
  /**
   * The room in whose log the answer is written. All who read that room learn it, so all of them must be allowed to.
   * Absent where the viewer alone is told.
   */
  readonly toldIn?: RoomName
}

/**
 * Whether an audience may know what is in a room. Everybody may read a public room. A private one is open to its members;
 * those who are invited read nothing before they join, and admins are no exception. For a token that is bound to rooms there
 * are no others. Rejects with `StorageError`.
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

/** Whether an audience may know that a room is there: somebody who is invited to it may, where nobody else is told. */
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

/** Whether all who read one room, or may soon, are members of the other room, a private one. Anybody may read a public room. */
async function allMaySee(rooms: RoomLookup, readers: RoomName, room: RoomName): Promise<boolean> {
  if (!(await rooms.find(readers))?.private) return false
  const [reading, members] = await Promise.all([rooms.members(readers), rooms.members(room)])
  const insiders = new Set(
    members.filter(({ membership }) => isMember(membership)).map(({ person }) => person.id),
  )
  return reading.every(({ person }) => insiders.has(person.id))
}
