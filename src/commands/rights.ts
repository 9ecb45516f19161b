import { mayManage } from '../chat/access.ts'
import { Refusal } from '../chat/errors.ts'
import type { Person } from '../chat/person.ts'
import type { Room } from '../chat/room.ts'

/** Throws `Refusal` unless the person may set up the room; `what` completes "can …". */
export async function needManager(room: Room, person: Person, what: string): Promise<void> {
  if (mayManage(await room.roleOf(person))) return
  throw new Refusal(`only the owner of ${room.name}, an op or an admin can ${what}`)
}
