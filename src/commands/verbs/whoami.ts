import type { People } from '../../chat/people.ts'
import { JSON_FLAG, type Command } from '../command.ts'

export const whoamiCommand = (people: People): Command => ({
  name: 'whoami',
  summary: 'your name and what you may do on this server',
  flags: [JSON_FLAG],
  async run({ person, flags, out }) {
    const { name, admin, guest } = await people.current(person)
    const role = admin ? 'admin' : guest ? 'guest' : 'member'
    out.line(flags['json'] ? JSON.stringify({ name, role }) : `${name} (${role})`)
  },
})
