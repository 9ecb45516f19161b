import type { People } from '../../chat/people/people.ts'
import { type Command, defineCommand } from '../command.ts'

export const claimCommand = (people: Pick<People, 'claim'>): Command =>
  defineCommand({
    name: 'claim',
    summary: "become the first admin, with the code on the operator's console",
    room: 'none',
    arguments: [{ name: 'code', about: 'what the server printed when it started' }],
    example: 'ABCD-EFGH',
    rights: { note: 'Whoever has the code, while there is no admin.' },
    async run({ person, args, out }) {
      await people.claim(person, args.code)
      out.line(`${person.name} is admin now`)
    },
  })
