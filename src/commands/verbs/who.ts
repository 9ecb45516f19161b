import type { Role } from '../../chat/people/person.ts'
import { safeJson } from '../../lib/safe-json.ts'
import type { Turns } from '../../turns/turns.ts'
import { defineCommand, JSON_FLAG, type Command } from '../define.ts'

export const whoCommand = (models: Pick<Turns, 'names'>): Command =>
  defineCommand({
    name: 'who',
    summary: 'the people in the room, and the models you can mention',
    room: 'here',
    flags: [JSON_FLAG],
    example: '',
    needsVoice: () => false,
    async run({ room, flags, out }) {
      const people = await Promise.all(
        room.present().map(async (one) => ({ name: one.name, role: await room.roleOf(one) })),
      )
      const shown = { room: room.name, people, models: models.names() }
      if (flags.json) return out.line(safeJson(shown))
      out.line(people.length > 0 ? people.map(named).join(', ') : 'nobody is here')
      out.line(`models: ${shown.models.map((name) => `@${name}`).join(' ')}`)
    },
  })

const named = (one: { name: string; role: Role }): string =>
  one.role === 'member' ? one.name : `${one.name} (${one.role})`
