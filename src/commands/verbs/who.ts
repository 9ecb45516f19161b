import type { Role } from '../../chat/person.ts'
import { JSON_FLAG, type Command } from '../command.ts'

/** `models`: the names that can be mentioned. */
export const whoCommand = (models: { names(): readonly string[] }): Command => ({
  name: 'who',
  summary: 'the people in the room, and the models you can mention',
  room: 'here',
  flags: [JSON_FLAG],
  async run({ room, flags, out }) {
    const people = await Promise.all(
      room!.present().map(async (one) => ({ name: one.name, role: await room!.roleOf(one) })),
    )
    const shown = { room: room!.name, people, models: models.names() }
    if (flags['json']) return out.line(JSON.stringify(shown))
    out.line(people.length > 0 ? people.map(named).join(', ') : 'nobody is here')
    out.line(`models: ${shown.models.map((name) => `@${name}`).join(' ')}`)
  },
})

const named = (one: { name: string; role: Role }): string =>
  one.role === 'member' ? one.name : `${one.name} (${one.role})`
