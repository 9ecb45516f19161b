import { skeleton } from '../../lib/text/skeleton.ts'
import type { Talk } from '../../chat/talk/talk.ts'
import { type Command, defineCommand } from '../command.ts'

export const ignoreCommand = ({ ignores, findPerson }: Pick<Talk, 'ignores' | 'findPerson'>): Command =>
  defineCommand({
    name: 'ignore',
    protects: true,
    summary:
      'do not show what somebody says under any name of theirs, what they write to you, and that they invite you; again: show it; alone: whom you ignore. /history and /search show it: a log is whole',
    room: 'none',
    arguments: [{ name: 'name', about: 'of a person, who is not told', optional: true }],
    example: 'bob',
    complete: ({ room }) => room.present().map((person) => person.name),
    async run({ person, args, out }) {
      const list = await ignores.list(person)
      if (args.name === undefined)
        return out.line(list.length === 0 ? 'you ignore nobody' : list.map(({ name }) => name).join(', '))
      const wanted = skeleton(args.name.replace(/^@/, ''))
      const ignored = list.find(({ name, nameThen }) =>
        [name, nameThen].some((one) => skeleton(one) === wanted),
      )
      if (ignored) {
        await ignores.remove(person, ignored.id)
        return out.line(`you hear ${ignored.name} again`)
      }
      const other = await findPerson.called(args.name)
      await ignores.add(person, other)
      out.line(`you ignore ${other.name} now; the same again undoes it`)
    },
  })
