import type { Talk } from '../../chat/talk/talk.ts'
import { defineCommand, type Command } from '../define.ts'
import { tellSent } from './shared/tell-sent.ts'

export const msgCommand = (talk: Pick<Talk, 'messages' | 'away'>): Command =>
  defineCommand({
    name: 'msg',
    aliases: ['w'],
    summary: 'write to one person alone, who reads it now, or at the next login',
    room: 'none',
    arguments: [
      { name: 'name', about: 'of somebody who was here before, or of a guest who is here' },
      { name: 'text', about: 'what nobody else will read', takes: 'rest' },
    ],
    example: 'bob the key is under the mat',
    complete: ({ room }) => room.present().map((person) => person.name),
    run: async (context) =>
      tellSent(talk, context, await talk.messages.send(context.person, context.args.name, context.args.text)),
  })
