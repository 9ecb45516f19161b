import type { Chat } from '../../chat/chat.ts'
import { UsageError } from '../../chat/errors.ts'
import { usage, type Command } from '../command.ts'
import { needManager } from '../rights.ts'

export const navCommand = (chat: Chat): Command => {
  const command: Command = {
    name: 'nav',
    summary: 'whether models may walk out of this room and into it: show it, or set it to on or off',
    room: 'here',
    parameters: [{ name: 'state', optional: true }],
    async run({ person, room, args, out, session }) {
      const { state } = args
      if (state === undefined) return out.line((await chat.exits.nav(room!.name)) ? 'on' : 'off')
      if (state !== 'on' && state !== 'off')
        throw new UsageError(
          `nav: on or off, not ${state.slice(0, 40)}`,
          usage(command, session ? 'session' : 'script'),
        )
      await needManager(room!, person, 'say whether models may walk')
      await chat.exits.setNav(room!.name, state === 'on')
      const text = `${person.name} turned nav ${state}: models may ${state === 'on' ? '' : 'not '}walk here`
      await room!.record({ kind: 'notice', level: 'info', author: person.name, text })
      if (!session) out.line(text)
    },
  }
  return command
}
