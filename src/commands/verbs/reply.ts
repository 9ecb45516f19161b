import type { Talk } from '../../chat/talk/talk.ts'
import { defineCommand, type Command } from '../define.ts'
import { tellSent } from './shared/tell-sent.ts'

export const replyCommand = (talk: Pick<Talk, 'messages' | 'away'>): Command =>
  defineCommand({
    name: 'reply',
    summary: 'write to whoever wrote to you alone last',
    room: 'none',
    arguments: [{ name: 'text', about: 'what nobody else will read', takes: 'rest' }],
    example: 'found it',
    run: async (context) =>
      tellSent(talk, context, await talk.messages.reply(context.person, context.args.text)),
  })
