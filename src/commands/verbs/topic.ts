import type { RoomStore } from '../../chat/ports.ts'
import { oneLine } from '../../chat/message-text.ts'
import { defineCommand, type Command } from '../define.ts'
import { announce } from './shared/announce.ts'

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
    arguments: [{ name: 'text', about: 'the new one', optional: true, takes: 'rest' }],
    example,
    rights: { manage: `change its ${name}`, when: ({ text }) => text !== undefined },
    async run(context) {
      const { person, room, args, out } = context
      if (args.text === undefined) return out.line((await room.info())[name] || `no ${name} is set`)
      const text = oneLine(args.text, MAX_CHARS)
      await rooms.update(room.name, { [name]: text })
      await announce(context, `${person.name} set the ${name}: ${text}`)
    },
  })
}
