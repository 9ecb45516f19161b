import type { Memberships } from '../../chat/moderation/memberships.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { enter, type Invitations } from './shared/enter.ts'
import { type Command, defineCommand } from '../command.ts'

export const joinCommand = (
  rooms: Pick<Rooms, 'list'>,
  invitations: Invitations,
  memberships: Pick<Memberships, 'join' | 'toJoin' | 'invitations'>,
): Command =>
  defineCommand({
    name: 'join',
    aliases: ['j'],
    summary: 'go into a room; a script becomes a member of it, of a private one after an invitation',
    room: 'none',
    arguments: [{ name: 'name', about: 'of the room' }],
    example: 'den',
    complete: async ({ person }) => [
      ...(await rooms.list(person)).map((room) => room.name),
      ...(await memberships.invitations(person)),
    ],
    async run(context) {
      const { session, person, args, out } = context
      const agent = context.script?.agent
      const room = await memberships.toJoin(args.name, person)
      if (session?.room.name === room.name) out.line(`you are in ${room.name}`)
      else if (session) await enter(room, person, session.moveTo, invitations)
      else if (agent) {
        await enter(room, person, agent.enter, invitations)
        out.line(`you are in ${room.name} now, and hear what is said there`)
      } else out.line((await memberships.join(room, person)).text)
    },
  })
