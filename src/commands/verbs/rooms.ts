import type { Closing } from '../../chat/moderation/closing.ts'
import type { Memberships } from '../../chat/moderation/memberships.ts'
import type { Rooms } from '../../chat/rooms.ts'
import type { RoomRecord } from '../../chat/ports.ts'
import type { Person } from '../../chat/people/person.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { type Command, JSON_FLAG, defineCommand } from '../command.ts'

export const roomsCommand = (
  rooms: Pick<Rooms, 'get' | 'list'>,
  memberships: Pick<Memberships, 'invitations'>,
  closing: Pick<Closing, 'isArchived'>,
): Command =>
  defineCommand({
    name: 'rooms',
    aliases: ['list', 'channels'],
    summary: 'the rooms you can see, and how many people are in each',
    room: 'none',
    flags: [JSON_FLAG],
    example: '',
    async run({ person, flags, out, session }) {
      const rows = await rooms.list(person)
      const listed = await Promise.all(rows.map((row) => describe(rooms, row, person, closing)))
      const invitations = await memberships.invitations(person)
      if (flags.json) return out.line(safeJson([...listed, ...invitations.map(invitation)]))
      for (const room of listed) {
        const topic = room.topic ? `  ${room.topic}` : ''
        const marks = `${room.private ? '  private' : ''}${'archived' in room ? '  archived' : ''}`
        out.line(`${room.name}  ${room.people} here${marks}${topic}`)
      }
      for (const name of invitations)
        out.line(`${name}  private  you are invited: ${session ? '/' : ''}join ${name}`)
    },
  })

/** Whoever is invited knows the name, and nothing else before they join. */
const invitation = (name: string) => ({ name, topic: '', private: true, people: 0, invited: true })

async function describe(
  rooms: Pick<Rooms, 'get'>,
  row: RoomRecord,
  viewer: Person,
  closing: Pick<Closing, 'isArchived'>,
) {
  const room = await rooms.get(row.name, viewer)
  const archived = closing.isArchived(row.name) ? { archived: true } : {}
  const people = room.present().length
  return { name: row.name, topic: row.topic, private: row.private, people, ...archived }
}
