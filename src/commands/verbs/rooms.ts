import type { Chat } from '../../chat/chat.ts'
import type { RoomRecord } from '../../chat/ports.ts'
import type { Person } from '../../chat/person.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { defineCommand, JSON_FLAG, type Command } from '../define.ts'

type Rooms = Pick<Chat, 'room' | 'rooms'>

export const roomsCommand = (chat: Rooms): Command =>
  defineCommand({
    name: 'rooms',
    summary: 'the rooms you can see, and how many people are in each',
    room: 'none',
    flags: [JSON_FLAG],
    example: '',
    async run({ person, flags, out }) {
      const rows = await chat.rooms(person)
      const listed = await Promise.all(rows.map((row) => describe(chat, row, person)))
      if (flags.json) return out.line(safeJson(listed))
      for (const room of listed) {
        const topic = room.topic ? `  ${room.topic}` : ''
        out.line(`${room.name}  ${room.people} here${room.private ? '  private' : ''}${topic}`)
      }
    },
  })

async function describe(chat: Rooms, row: RoomRecord, viewer: Person) {
  const room = await chat.room(row.name, viewer)
  return { name: row.name, topic: row.topic, private: row.private, people: room.present().length }
}
