import type { People } from '../../chat/people/people.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { type Command, JSON_FLAG, defineCommand } from '../command.ts'

export const whoamiCommand = (people: Pick<People, 'current'>): Command =>
  defineCommand({
    name: 'whoami',
    summary: 'your name and what you may do on this server',
    room: 'none',
    flags: [JSON_FLAG],
    example: '',
    async run({ person, flags, out }) {
      const { name, admin, guest } = await people.current(person)
      const role = admin ? 'admin' : guest ? 'guest' : 'member'
      out.line(flags.json ? safeJson({ name, role }) : `${name} (${role})`)
      if (person.why !== undefined) out.warn(`you are a guest: ${person.why}`)
    },
  })
