import { Refusal } from '../../../chat/errors.ts'
import type { RoomStore } from '../../../chat/ports.ts'
import type { Room } from '../../../chat/room.ts'
import type { Caller } from '../../caller.ts'

/** Who was invited where. */
export type Invitations = Pick<RoomStore, 'membership' | 'setMembership'>

/** Going into a private room that one was invited to makes one a member of it. Throws `Refusal` for a script. */
export async function enter(
  room: Room,
  { person, session, out }: Caller,
  invitations: Invitations,
): Promise<void> {
  const invited = (await invitations.membership(room.name, person.id)) === 'invited'
  if (invited) await invitations.setMembership(room.name, person.id, 'member')
  if (session) return session.moveTo(room)
  if (!invited) throw new Refusal(`a script is in no room; name the room instead: say ${room.name} TEXT`)
  out.line(`you are a member of ${room.name} now`)
}
