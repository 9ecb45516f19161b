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
 * Whether an audience may know that a room exists. Everybody may see a public room. A private one is visible to its
 * members and to those who are invited, and admins are no exception. Rejects with `StorageError`.
 */
export async function isVisible(
  rooms: RoomLookup,
  room: RoomRecord,
  { viewer, toldIn }: Audience,
): Promise<boolean> {
  if (!room.private) return true
  if (!(await rooms.membership(room.name, viewer.id))) return false
  return toldIn === undefined || toldIn === room.name || (await allMaySee(rooms, toldIn, room.name))
}

/**
 * Whether somebody may read what is said in a room: everybody a public one, its members a private one. Who is only invited
 * knows that it exists, and reads it once they have joined. Rejects with `StorageError`.
 */
export async function mayRead(
  rooms: Pick<RoomLookup, 'membership'>,
  room: RoomRecord,
  { id }: Pick<Person, 'id'>,
): Promise<boolean> {
  if (!room.private) return true
  const membership = await rooms.membership(room.name, id)
  return membership !== undefined && membership !== 'invited'
}

/** Whether all who read one room belong to the other room, a private one. Anybody may read a public room. */
async function allMaySee(rooms: RoomLookup, readers: RoomName, room: RoomName): Promise<boolean> {
  if (!(await rooms.find(readers))?.private) return false
  const [reading, members] = await Promise.all([rooms.members(readers), rooms.members(room)])
  const insiders = new Set(members.map(({ person }) => person.id))
  return reading.every(({ person }) => insiders.has(person.id))
}
