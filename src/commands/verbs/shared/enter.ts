import type { RoomStore } from '../../../chat/ports.ts'
import type { Room } from '../../../chat/room.ts'
import type { Person } from '../../../chat/people/person.ts'

/** Who was invited where. */
export type Invitations = Pick<RoomStore, 'membership' | 'setMembership'>

/** Going into a private room that one was invited to makes one a member of it. */
export async function enter(
  room: Room,
  person: Person,
  goIn: (room: Room) => Promise<void>,
  invitations: Invitations,
): Promise<void> {
  const isInvited = (await invitations.membership(room.name, person.id)) === 'invited'
  if (isInvited) await invitations.setMembership(room.name, person.id, 'member')
  await goIn(room)
}
