import type { Speech } from '../speech.ts'
import type { CallerPermissions } from './shared/allow-flag.ts'
import { textOrPiped } from './shared/piped-text.ts'
import { type Command, defineCommand, kindOf } from '../command.ts'
import { forCaller } from '../hints.ts'

export const sayCommand = (speech: Pick<Speech, 'say'>, permissionsOf: CallerPermissions): Command =>
  defineCommand({
    name: 'say',
    summary: 'say something; @name calls a model (in a session, just type it)',
    room: 'here',
    arguments: [
      {
        name: 'text',
        about: 'what to say; without it, or where it is -, a script pipes it in',
        optional: true,
        takes: 'rest',
      },
    ],
    example: 'the build is green',
    async run(context) {
      const { room, person, args } = context
      const text = await textOrPiped(args.text, context)
      const { hint } = await speech.say(room, person, text, await permissionsOf(context, []))
      if (hint !== undefined) context.out.warn(forCaller(hint, kindOf(context)))
    },
  })

export const meCommand = (speech: Pick<Speech, 'act'>): Command =>
  defineCommand({
    name: 'me',
    aliases: ['action', 'emote'],
    summary: 'say what you do: /me waves',
    room: 'here',
    arguments: [{ name: 'text', about: 'what you do; where it is -, a script pipes it in', takes: 'rest' }],
    example: 'waves',
    async run(context) {
      await speech.act(context.room, context.person, await textOrPiped(context.args.text, context))
    },
  })
