import type { Closing } from '../../chat/moderation/closing.ts'
import { printTold } from './shared/told.ts'
import { type Command, defineCommand } from '../command.ts'

export const archiveCommand = (closing: Pick<Closing, 'archive'>): Command =>
  defineCommand({
    name: 'archive',
    summary: 'close the room: it can be read, and nobody speaks in it; off opens it again',
    room: 'here',
    arguments: [{ name: 'state', about: 'on without it', optional: true, oneOf: ['on', 'off'] }],
    example: '',
    needsVoice: () => false,
    run: async (context) =>
      printTold(context, await closing.archive(context.room, context.person, context.args.state !== 'off')),
  })
