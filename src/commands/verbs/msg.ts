import type { Talk } from '../../chat/talk/talk.ts'
import { textOrPiped } from './shared/piped-text.ts'
import { tellSent } from './shared/tell-sent.ts'
import { type Command, defineCommand } from '../command.ts'

export const msgCommand = (talk: Pick<Talk, 'messages' | 'away'>): Command =>
  defineCommand({
    name: 'msg',
    aliases: ['w', 'whisper', 'dm', 'pm', 'tell'],
    summary: 'write to one person alone, who reads it now, or at the next login',
    room: 'none',
    arguments: [
      { name: 'name', about: 'of somebody who was here before, or of a guest who is here' },
      {
        name: 'text',
        about: 'what nobody else will read; where it is -, a script pipes it in',
        takes: 'rest',
      },
    ],
    example: 'bob the key is under the mat',
    complete: ({ room }) => room.present().map((person) => person.name),
    async run(context) {
      const { person, args } = context
      const text = await textOrPiped(args.text, context)
      tellSent(talk, context, await talk.messages.send(person, args.name, text))
    },
  })
