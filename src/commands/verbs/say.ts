import { Refusal } from '../../chat/errors.ts'
import { speech, type SpeechLimits } from '../../chat/speech.ts'
import type { CallerPermissions } from '../allow-flag.ts'
import type { Call, Command } from '../command.ts'
import type { Speak } from '../speak.ts'

export const sayCommand = (speak: Speak, permissionsOf: CallerPermissions): Command => ({
  name: 'say',
  summary: 'say something; @name calls a model (in a session, just type it)',
  room: 'here',
  parameters: [{ name: 'text', optional: true, takes: 'rest' }],
  async run(call) {
    await speak(call.room!, call.person, await textOf(call), await permissionsOf(call))
  },
})

export const meCommand = (limits: SpeechLimits): Command => ({
  name: 'me',
  summary: 'say what you do: /me waves',
  room: 'here',
  parameters: [{ name: 'text', takes: 'rest' }],
  async run({ room, person, args }) {
    await room!.record({ kind: 'action', author: person.name, text: speech(args['text']!, limits) })
  },
})

/** The text on the line, or what was piped in where the line has none, or a mere `-`. */
async function textOf({ args, stdin }: Call): Promise<string> {
  const onLine = args['text']?.trim() === '-' && stdin ? undefined : args['text']
  const text = onLine ?? (await stdin?.('until-end'))
  if (text === undefined) throw new Refusal('there is nothing to say: the message is empty')
  return text
}
