import { ROOM_NAME_RULE } from '../../chat/people/name-rules.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { type Command, defineCommand } from '../command.ts'

export const forkCommand = (rooms: Pick<Rooms, 'fork'>): Command =>
  defineCommand({
    name: 'fork',
    summary:
      'make a room of your own like this one: its vibe, tools, script and key-values, not what was said',
    room: 'here',
    flags: [{ name: 'private', about: 'only for those who are invited' }],
    arguments: [{ name: 'name', about: `of the new room: ${ROOM_NAME_RULE}` }],
    example: 'den-2',
    async run({ person, room, args, flags, out, session }) {
      const made = await rooms.fork(room, args.name, person, flags)
      const hidden = (await made.info()).private ? ', and private' : ''
      out.line(`made ${made.name} like ${room.name}; it is yours${hidden}`)
      await session?.moveTo(made)
    },
  })
