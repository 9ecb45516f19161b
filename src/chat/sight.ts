import { maySee } from './access.ts'
import type { RoomName } from './entry.ts'
import type { Person } from './person.ts'
import type { RoomRecord, RoomStore } from './ports.ts'

/** Where it is looked up who belongs to a room. */
export type SightParts = Pick<RoomStore, 'find' | 'membership' | 'members'>

/** For whom something of a room is found out. */
export interface Onlooker {
  readonly viewer: Person
  /**
   * The room in which it is written down what was found: all who read that room learn it, so all of them
   * must be allowed to. Absent where the viewer alone is told.
   */
  readonly toldIn?: RoomName
}

/** Whether a room is there for an onlooker. Rejects with `StorageError`. */
export async function isSeen(
  rooms: SightParts,
  room: RoomRecord,
  { viewer, toldIn }: Onlooker,
): Promise<boolean> {
  if (!room.private) return true
  if (!maySee(room, await rooms.membership(room.name, viewer.id))) return false
  return toldIn === undefined || toldIn === room.name || (await allMaySee(rooms, toldIn, room.name))
}

/** Whether every reader of one room is a member of the other, a private one. Anybody may read a public room. */
async function allMaySee(rooms: SightParts, readers: RoomName, room: RoomName): Promise<boolean> {
  if (!(await rooms.find(readers))?.private) return false
  const [reading, members] = await Promise.all([rooms.members(readers), rooms.members(room)])
  const insiders = new Set(members.map(({ person }) => person.id))
  return reading.every(({ person }) => insiders.has(person.id))
}
