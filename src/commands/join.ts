import type { Chat } from '../chat/chat.ts'
import { Refusal } from '../chat/errors.ts'
import type { RoomStore } from '../chat/ports.ts'
import type { Command } from './command.ts'

/** Going into a private room that one was invited to makes one a member of it. */
export const joinCommand = (chat: Chat, rooms: RoomStore): Command => ({
  name: 'join',
  summary: 'go into a room',
  parameters: [{ name: 'name' }],
  async run({ person, args, session, out }) {
    const room = await chat.room(args['name']!, person)
    const invited = (await rooms.membership(room.name, person.id)) === 'invited'
    if (invited) await rooms.setMembership(room.name, person.id, 'member')
    if (session) return session.moveTo(room)
    if (!invited) throw new Refusal(`a script is in no room; name the room instead: say ${room.name} TEXT`)
    out.line(`you are a member of ${room.name} now`)
  },
})
