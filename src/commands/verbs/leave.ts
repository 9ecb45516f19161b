import type { Memberships } from '../../chat/moderation/memberships.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { Refusal } from '../../chat/errors.ts'
import { LOBBY } from '../../chat/people/names.ts'
import { type Command, defineCommand } from '../command.ts'

export const leaveCommand = (rooms: Pick<Rooms, 'lobby'>, memberships: Pick<Memberships, 'leave'>): Command =>
  defineCommand({
    name: 'leave',
    protects: true,
    aliases: ['part'],
    summary: 'go back to the lobby',
    room: 'here',
    example: '',
    fromScript: "Takes one's own membership of a room back: `leave ROOM`.",
    needsVoice: () => false,
    async run(context) {
      const { room, person, session, out } = context
      const agent = context.script?.agent
      if (agent) {
        await agent.leave(room)
        return out.line(`you are not in ${room.name} any more`)
      }
      if (!session) return out.line((await memberships.leave(room, person)).text)
      if (room.name === LOBBY) throw new Refusal('you are in the lobby; /quit leaves the server')
      await session.moveTo(await rooms.lobby())
    },
  })
