import { PERSON_NAME_RULE } from '../../chat/people/name-rules.ts'
import type { People } from '../../chat/people/people.ts'
import type { Rooms } from '../../chat/rooms.ts'
import { type Command, defineCommand } from '../command.ts'

export const renameCommand = (people: Pick<People, 'rename'>, rooms: Pick<Rooms, 'get' | 'list'>): Command =>
  defineCommand({
    name: 'rename',
    aliases: ['nick'],
    summary: 'take another name; your rights stay, and the old name is kept from others for 30 days',
    room: 'none',
    arguments: [{ name: 'name', about: PERSON_NAME_RULE }],
    example: 'bobby',
    async run({ person, args, out }) {
      const former = person.name
      await people.rename(person, args.name)
      const renamed = { ...person, name: args.name }
      for (const { name } of await rooms.list(person))
        await (await rooms.get(name, person)).renamed(renamed, former)
      out.line(`you are ${args.name} now; ${former} is kept from others for 30 days`)
    },
  })
