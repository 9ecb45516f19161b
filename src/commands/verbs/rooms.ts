import type { Chat } from '../../chat/chat.ts'
import type { RoomRecord } from '../../chat/ports.ts'
import type { Person } from '../../chat/person.ts'
import { JSON_FLAG, type Command } from '../command.ts'

export const roomsCommand = (chat: Chat): Command => ({
  name: 'rooms',
  summary: 'the rooms you can see, and how many people are in each',
  flags: [JSON_FLAG],
  async run({ person, flags, out }) {
    const rows = await chat.rooms(person)
    const listed = await Promise.all(rows.map((row) => describe(chat, row, person)))
    if (flags['json']) return out.line(JSON.stringify(listed))
    for (const room of listed) {
      const topic = room.topic ? `  ${room.topic}` : ''
      out.line(`${room.name}  ${room.people} here${room.private ? '  private' : ''}${topic}`)
    }
  },
})

async function describe(chat: Chat, row: RoomRecord, viewer: Person) {
  const room = await chat.room(row.name, viewer)
  return { name: row.name, topic: row.topic, private: row.private, people: room.present().length }
}
