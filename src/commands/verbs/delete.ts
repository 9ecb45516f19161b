import type { Closing } from '../../chat/moderation/closing.ts'
import { type Command, Misuse, defineCommand } from '../command.ts'

export const deleteCommand = (closing: Pick<Closing, 'remove'>): Command =>
  defineCommand({
    name: 'delete',
    summary: 'delete the room with all that was said in it, which is written into a file first; asked twice',
    room: 'here',
    arguments: [{ name: 'name', about: "the room's own, to be sure", optional: true }],
    example: '',
    needsVoice: () => false,
    async run({ room, person, args, session, out }) {
      if (args.name !== undefined && args.name !== room.name)
        throw new Misuse(`this room is called ${room.name}, not ${args.name.slice(0, 40)}`)
      const removed = await closing.remove(room, person, args.name)
      if (removed.kind === 'removed')
        return out.line(
          `${room.name} is deleted; all of it is in ${removed.file}${removed.isPath ? '' : EXPORTS}`,
        )
      const verb = session ? '/delete' : `delete ${room.name}`
      const again =
        args.name === undefined
          ? `${verb} again within a minute, or ${verb} ${room.name}`
          : `the same again, ${verb} ${room.name}: this was the first time`
      out.warn(`this deletes ${room.name} with all that was said in it, for good. To do it: ${again}`)
      return false
    },
  })

/** What follows the name of a file, for those who need an admin to read it. */
const EXPORTS = "; an admin finds it in the server's exports directory"
