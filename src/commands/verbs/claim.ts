import type { People } from '../../chat/people.ts'
import type { Command } from '../command.ts'

export const claimCommand = (people: People): Command => ({
  name: 'claim',
  summary: "become the first admin, with the code on the operator's console",
  parameters: [{ name: 'code' }],
  async run({ person, args, out }) {
    await people.claim(person, args['code']!)
    out.line(`${person.name} is admin now`)
  },
})
