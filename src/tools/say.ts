import { z } from 'zod'
import { speech } from '../chat/speech.ts'
import { withPermission } from './permission.ts'
import { defineTool, ok, type Tool } from './tool.ts'
import { inRoom, type WorldParts } from './world.ts'

/** What holds where nothing else is configured: the defaults of `message_chars` and `message_lines`. */
const usualSpeech = { chars: 4000, lines: 400 }

/** A message of its own, apart from the reply. */
export const sayTool = (parts: WorldParts): Tool =>
  defineTool({
    id: 'sshawl_say',
    title: 'Say',
    description:
      'Posts a message in this room at once, apart from your reply. Use it to announce something while you are ' +
      'still at work; an answer belongs in the reply.',
    access: 'write',
    input: z.strictObject({ text: z.string() }),
    parameters: { text: 'The message.' },
    run: async ({ text }, context) =>
      inRoom('sshawl_say', parts, context, undefined, async (room) => {
        const said = speech(text, parts.speech ?? usualSpeech)
        const author = context.model ?? context.requester.person.name
        const question = { tool: 'sshawl_say', access: 'write' as const, target: room.name, detail: said }
        return withPermission(context, { ...question, asked: `say in ${room.name}?` }, async () => {
          await context.addMessage({ kind: 'message', author, text: said })
          return ok(`Said in ${room.name}.`)
        })
      }),
  })
