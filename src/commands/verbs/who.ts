import type { Role } from '../../chat/people/person.ts'
import { safeJson } from '../../lib/safe-json.ts'
import type { AwayPeople } from '../../chat/talk/away.ts'
import type { Turns } from '../../turns/turns.ts'
import { type Command, JSON_FLAG, defineCommand } from '../command.ts'

export const whoCommand = (models: Pick<Turns, 'names'>, away: Pick<AwayPeople, 'textOf'>): Command =>
  defineCommand({
    name: 'who',
    aliases: ['names', 'users'],
    summary: 'the people in the room, and the models you can mention',
    room: 'here',
    flags: [JSON_FLAG],
    example: '',
    needsVoice: () => false,
    async run({ room, flags, out }) {
      const people = await Promise.all(
        room.present().map(async (one) => {
          const absence = away.textOf(one.id)
          const role = await room.roleOf(one)
          return { name: one.name, role, ...(absence === undefined ? {} : { away: absence }) }
        }),
      )
      const shown = { room: room.name, people, models: models.names() }
      if (flags.json) return out.line(safeJson(shown))
      out.line(people.length > 0 ? people.map(named).join(', ') : 'nobody is here')
      out.line(`models: ${shown.models.map((name) => `@${name}`).join(' ')}`)
    },
  })

interface ShownPerson {
  readonly name: string
  readonly role: Role
  /** Why they are away; empty where they gave no reason, absent where they are here. */
  readonly away?: string
}

function named({ name, role, away }: ShownPerson): string {
  const absence = away === undefined ? [] : [away === '' ? 'away' : `away: ${away}`]
  const facts = [...(role === 'member' ? [] : [role]), ...absence]
  return facts.length === 0 ? name : `${name} (${facts.join(', ')})`
}
