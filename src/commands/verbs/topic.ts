import type { RoomStore } from '../../chat/ports.ts'
import { oneLine } from '../../chat/message-text.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { announce } from './shared/announce.ts'
import { type Command, JSON_FLAG, Misuse, defineCommand } from '../command.ts'

const MAX_CHARS = 500

export const topicCommand = (rooms: Pick<RoomStore, 'update'>): Command =>
  roomText(rooms, 'topic', 'what the room is about: show it, or set it', 'the release of Friday')

export const vibeCommand = (rooms: Pick<RoomStore, 'update'>): Command =>
  roomText(rooms, 'vibe', 'the mood that models should keep to here: show it, or set it', 'calm and brief')

function roomText(
  rooms: Pick<RoomStore, 'update'>,
  name: 'topic' | 'vibe',
  summary: string,
  example: string,
): Command {
  return defineCommand({
    name,
    summary,
    room: 'here',
    flags: [JSON_FLAG],
    arguments: [{ name: 'text', about: 'the new one', optional: true, takes: 'rest' }],
    example,
    rights: { manage: `change its ${name}`, when: ({ text }) => text !== undefined },
    async run(context) {
      const { person, room, args, flags, out } = context
      if (args.text === undefined) {
        const text = (await room.info())[name]
        return out.line(
          flags.json ? safeJson({ room: room.name, [name]: text }) : text || `no ${name} is set`,
        )
      }
      if (flags.json) throw new Misuse(`--json shows the ${name}, and sets none`)
      const text = oneLine(args.text, MAX_CHARS)
      await rooms.update(room.name, { [name]: text })
      await announce(context, `${person.name} set the ${name}: ${text}`)
    },
  })
}
