import { mayManage } from '../chat/access.ts'
import { Refusal } from '../chat/errors.ts'
import type { Person } from '../chat/people/person.ts'
import type { Room } from '../chat/room.ts'
import type { Command, Values } from './define.ts'

/** Throws `Refusal` unless the person may set up the room; `what` completes "can …". */
export async function needManager(room: Room, person: Person, what: string): Promise<void> {
  if (mayManage(await room.roleOf(person))) return
  throw new Refusal(`only the owner of ${room.name}, an op or an admin can ${what}`)
}

/** Throws `Refusal` where a command declares that such a use is not for this person. */
export async function checkRights(
  { rights }: Command,
  args: Values['args'],
  room: Room,
  person: Person,
): Promise<void> {
  if (!rights || !('manage' in rights)) return
  if (rights.when?.(args) ?? true) await needManager(room, person, rights.manage)
}
