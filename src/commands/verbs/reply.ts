import type { Talk } from '../../chat/talk/talk.ts'
import { textOrPiped } from './shared/piped-text.ts'
import { tellSent } from './shared/tell-sent.ts'
import { type Command, defineCommand } from '../command.ts'

export const replyCommand = (talk: Pick<Talk, 'messages' | 'away'>): Command =>
  defineCommand({
    name: 'reply',
    aliases: ['r'],
    summary:
      'write to whoever wrote the last message to you alone that you were shown: nobody answers what they have not read',
    room: 'none',
    arguments: [
      {
        name: 'text',
        about: 'what nobody else will read; where it is -, a script pipes it in',
        takes: 'rest',
      },
    ],
    example: 'found it',
    async run(context) {
      const text = await textOrPiped(context.args.text, context)
      tellSent(talk, context, await talk.messages.reply(context.person, text))
    },
  })
