import type { Rooms } from '../../chat/rooms.ts'
import type { RoomRecord } from '../../chat/ports.ts'
import type { Person } from '../../chat/people/person.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { defineCommand, JSON_FLAG, type Command } from '../define.ts'

export const roomsCommand = (rooms: Pick<Rooms, 'get' | 'list'>): Command =>
  defineCommand({
    name: 'rooms',
    summary: 'the rooms you can see, and how many people are in each',
    room: 'none',
    flags: [JSON_FLAG],
    example: '',
    async run({ person, flags, out }) {
      const rows = await rooms.list(person)
      const listed = await Promise.all(rows.map((row) => describe(rooms, row, person)))
      if (flags.json) return out.line(safeJson(listed))
      for (const room of listed) {
        const topic = room.topic ? `  ${room.topic}` : ''
        out.line(`${room.name}  ${room.people} here${room.private ? '  private' : ''}${topic}`)
      }
    },
  })

async function describe(rooms: Pick<Rooms, 'get'>, row: RoomRecord, viewer: Person) {
  const room = await rooms.get(row.name, viewer)
  return { name: row.name, topic: row.topic, private: row.private, people: room.present().length }
}
