import type { Membership, RoomRecord } from './ports.ts'
import type { Role } from './person.ts'

/** Public rooms are there for all; a private one only for its members and the invited, admins included. */
export const maySee = (room: RoomRecord, membership: Membership | undefined): boolean =>
  !room.private || membership !== undefined

/** Who sets a room's topic, vibe, scope, script and key-values. */
export const mayManage = (role: Role): boolean => role === 'admin' || role === 'owner' || role === 'op'
