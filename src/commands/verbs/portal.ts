import type { Rooms } from '../../chat/rooms.ts'
import { type Command, type CommandContext, defineCommand } from '../command.ts'

export const portalCommand = (rooms: Pick<Rooms, 'exits' | 'get' | 'list'>): Command =>
  defineCommand({
    name: 'portal',
    summary: 'make an exit of this room that leads into another one (- takes it away)',
    room: 'here',
    arguments: [
      { name: 'direction', about: 'such as north: 1-32 of a-z, 0-9, _ and -' },
      { name: 'to', about: 'the room that it leads to, or -' },
    ],
    example: 'north lobby',
    rights: { manage: 'change its exits' },
    complete: async ({ person, argument }) =>
      argument === 'to' ? (await rooms.list(person)).map(({ name }) => name) : OFTEN_USED,
    async run(context) {
      const { person, room, args, out } = context
      const direction = args.direction.toLowerCase()
      if (args.to === '-') {
        await rooms.exits.close(room.name, direction, { viewer: person })
        return out.line(`the exit ${direction} is gone`)
      }
      const target = await rooms.get(args.to, person)
      await rooms.exits.open(room.name, { direction, room: target.name })
      await tell(context, `${direction} leads to ${target.name} now`, (await target.info()).private)
    },
  })

/** Any other word is a direction as well. */
const OFTEN_USED: readonly string[] = ['north', 'east', 'south', 'west', 'up', 'down']

/** Tells the room of a new exit; of one that leads into a private room, only its maker. */
async function tell(
  { person, room, session, out }: CommandContext<'here'>,
  news: string,
  isPrivate: boolean,
): Promise<void> {
  if (!isPrivate) {
    const text = `${person.name} made an exit: ${news}`
    await room.record({ kind: 'notice', level: 'info', author: person.name, text })
  }
  if (!session || isPrivate) out.line(news)
}
