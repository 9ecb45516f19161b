import type { Memberships } from '../../chat/moderation/memberships.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { Refusal } from '../../chat/errors.ts'
import { enter, type Invitations } from './shared/enter.ts'
import { type Command, defineCommand } from '../command.ts'

export const goCommand = (
  rooms: Pick<Rooms, 'exits'>,
  memberships: Pick<Memberships, 'toJoin'>,
  invitations: Invitations,
): Command =>
  defineCommand({
    name: 'go',
    summary: 'go through an exit of this room',
    room: 'none',
    arguments: [{ name: 'direction', about: 'of an exit, as exits lists them' }],
    example: 'north',
    fromScript: 'Refused: a script is in no room, and names the room in each command instead.',
    complete: async ({ room, person }) =>
      (await rooms.exits.list(room.name, { viewer: person })).map((exit) => exit.direction),
    async run(context) {
      const { person, session, args } = context
      if (!session) throw new Refusal('a script is in no room; name the room instead: say ROOM TEXT')
      const direction = args.direction.toLowerCase()
      const exit = await rooms.exits.follow(session.room.name, direction, { viewer: person })
      await enter(await memberships.toJoin(exit.room, person), person, session.moveTo, invitations)
    },
  })
