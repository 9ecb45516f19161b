import type { RoomStore } from '../../chat/ports.ts'
import { oneLine } from '../../chat/speech.ts'
import type { Command } from '../command.ts'
import { needManager } from '../rights.ts'

const LONGEST = 500

export const topicCommand = (rooms: RoomStore): Command =>
  roomText(rooms, 'topic', 'what the room is about: show it, or set it')

export const vibeCommand = (rooms: RoomStore): Command =>
  roomText(rooms, 'vibe', 'the mood that models should keep to here: show it, or set it')

function roomText(rooms: RoomStore, field: 'topic' | 'vibe', summary: string): Command {
  return {
    name: field,
    summary,
    room: 'here',
    parameters: [{ name: 'text', optional: true, takes: 'rest' }],
    async run({ person, room, args, out, session }) {
      if (args['text'] === undefined) return out.line((await room!.info())[field] || `no ${field} is set`)
      await needManager(room!, person, `change its ${field}`)
      const text = oneLine(args['text'], LONGEST)
      await rooms.update(room!.name, { [field]: text })
      const shown = `${person.name} set the ${field}: ${text}`
      await room!.record({ kind: 'notice', level: 'info', author: person.name, text: shown })
      if (!session) out.line(shown)
    },
  }
}
