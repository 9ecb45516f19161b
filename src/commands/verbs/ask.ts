import { Refusal } from '../../chat/errors.ts'
import type { Turns } from '../../turns/turns.ts'
import type { Speech } from '../speech.ts'
import { ALLOW_FLAG, ALLOW_NOTE, type CallerPermissions } from './shared/allow-flag.ts'
import { printAnswer } from './shared/answer.ts'
import { modelName } from './shared/model-name.ts'
import { type Caller, type Command, JSON_FLAG, defineCommand } from '../command.ts'

export const askCommand = (
  turns: Pick<Turns, 'names'>,
  speech: Speech,
  permissionsOf: CallerPermissions,
): Command =>
  defineCommand({
    name: 'ask',
    summary: 'ask a model and wait for its answer',
    room: 'here',
    flags: [JSON_FLAG, ALLOW_FLAG],
    arguments: [
      { name: 'model', about: 'its name, with or without @' },
      {
        name: 'text',
        about: 'the question; what a script pipes in follows it',
        optional: true,
        takes: 'rest',
      },
    ],
    example: '@guide tools',
    rights: { note: ALLOW_NOTE },
    complete: ({ argument }) => (argument === 'model' ? turns.names().map((name) => `@${name}`) : []),
    async run(context) {
      const { args, flags, room, person, session, script } = context
      const model = modelName(args.model, turns.names())
      const how = await permissionsOf(context, flags.allow)
      const text = `@${model} ${await question(args.text, script)}`
      if (session) return void (await speech.say(room, person, text))
      return await printAnswer(context, async () => {
        const { message, turns: started } = await speech.say(room, person, text, how)
        const turn = started.get(model)
        if (!turn) throw new TypeError(`@${model} was mentioned, and no turn was started`)
        return { message, turn }
      })
    },
  })

/** What is on the line and what was piped in, in this order; a last word `-` waits for the pipe. */
async function question(onLine = '', script: Caller['script']): Promise<string> {
  const waits = onLine === '' || /(^|\s)-$/.test(onLine)
  const piped = (await script?.stdin(waits ? 'until-end' : 'if-ready')) ?? ''
  const text = [waits ? onLine.replace(/\s*-$/, '') : onLine, piped]
    .filter((part) => part.trim() !== '')
    .join('\n')
  if (text === '') throw new Refusal('there is nothing to ask: give a text, or pipe one in')
  return text
}
