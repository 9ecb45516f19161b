import type { Exits } from '../../chat/exits.ts'
import { announce } from './shared/announce.ts'
import { type Command, defineCommand } from '../command.ts'

export const navCommand = (exits: Pick<Exits, 'nav' | 'setNav'>): Command =>
  defineCommand({
    name: 'nav',
    summary: 'whether models may walk out of this room and into it: show it, or set it to on or off',
    room: 'here',
    arguments: [{ name: 'state', about: 'the new one', optional: true, oneOf: ['on', 'off'] }],
    example: 'on',
    rights: { manage: 'say whether models may walk', when: ({ state }) => state !== undefined },
    async run(context) {
      const { person, room, args, out } = context
      const { state } = args
      if (state === undefined) return out.line((await exits.nav(room.name)) ? 'on' : 'off')
      await exits.setNav(room.name, state === 'on')
      const may = state === 'on' ? 'may' : 'may not'
      await announce(context, `${person.name} turned nav ${state}: models ${may} walk here`)
    },
  })
