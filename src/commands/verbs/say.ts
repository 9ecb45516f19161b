import { Refusal } from '../../chat/errors.ts'
import type { Caller } from '../caller.ts'
import { defineCommand, type Command } from '../define.ts'
import type { Speech } from '../speech.ts'
import type { CallerPermissions } from './shared/allow-flag.ts'

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
      const { room, person, args, stdin } = context
      await speech.say(room, person, await textOf(args.text, stdin), await permissionsOf(context, []))
    },
  })

export const meCommand = (speech: Pick<Speech, 'act'>): Command =>
  defineCommand({
    name: 'me',
    summary: 'say what you do: /me waves',
    room: 'here',
    arguments: [{ name: 'text', about: 'what you do', takes: 'rest' }],
    example: 'waves',
    run: ({ room, person, args }) => speech.act(room, person, args.text),
  })

/** The text on the line, or what was piped in where the line has none, or a mere `-`. */
async function textOf(onLine: string | undefined, stdin: Caller['stdin']): Promise<string> {
  const text = stdin && (onLine === undefined || onLine.trim() === '-') ? await stdin('until-end') : onLine
  if (text === undefined) throw new Refusal('there is nothing to say: the message is empty')
  return text
}
