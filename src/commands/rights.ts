import { mayManage } from '../chat/may-manage.ts'
import { Refusal } from '../chat/errors.ts'
import type { Person } from '../chat/people/person.ts'
import type { Room } from '../chat/room.ts'
import type { Command, Values } from './define.ts'

/** Throws `Refusal` unless the person may set up the room, and speak in it; `what` completes "can …". */
export async function needManager(room: Room, person: Person, what: string): Promise<void> {
  await needRight(room, person, what)
  room.needVoice(person)
}

/** Throws `Refusal` where a command declares that such a use is not for this person. */
export async function checkRights(
  command: Command,
  args: Values['args'],
  room: Room,
  person: Person,
): Promise<void> {
  const { rights } = command
  if (rights && 'manage' in rights && (rights.when?.(args) ?? true))
    await needRight(room, person, rights.manage)
  if (needsVoice(command, args)) room.needVoice(person)
}

async function needRight(room: Room, person: Person, what: string): Promise<void> {
  if (mayManage(await room.roleOf(person))) return
  throw new Refusal(`only the owner of ${room.name}, an op or an admin can ${what}`)
}

function needsVoice(command: Command, args: Values['args']): boolean {
  const { rights } = command
  if (command.needsVoice) return command.needsVoice(args)
  return rights && 'manage' in rights ? (rights.when?.(args) ?? true) : true
}
