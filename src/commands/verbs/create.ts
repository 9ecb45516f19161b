import { ROOM_NAME_RULE } from '../../chat/people/name-rules.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { type Command, defineCommand } from '../command.ts'

export const createRoomCommand = (rooms: Pick<Rooms, 'create'>): Command =>
  defineCommand({
    name: 'create',
    summary: 'make a room of your own; --private hides it from all but those you invite',
    room: 'none',
    flags: [{ name: 'private', about: 'only for those who are invited' }],
    arguments: [{ name: 'name', about: `of the new room: ${ROOM_NAME_RULE}` }],
    example: '--private attic',
    async run({ person, args, flags, out, session }) {
      const room = await rooms.create(args.name, person, flags)
      out.line(`made ${room.name}, which is yours`)
      await session?.moveTo(room)
    },
  })
