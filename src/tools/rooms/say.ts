import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import type { Room } from '../../chat/room.ts'
import { messageText } from '../../chat/message-text.ts'
import type { ToolContext } from '../context.ts'
import { ok } from '../result.ts'
import type { Tool } from '../tool.ts'
import {
  changeQuestion,
  roomParameter,
  roomToChange,
  ROOM_PARAMETER_TEXT,
  type RoomToolParts,
} from './in-room.ts'

/** Used where nothing else is configured: the defaults of `[limits]`. */
const MESSAGE_LIMITS = { message_chars: 4000, paste_bytes: 65_536, message_lines: 400 }

/** Posts a message that is not part of the reply. */
export function sayTool(parts: RoomToolParts): Tool {
  const spoken = (text: string): string => messageText(text, parts.speech ?? MESSAGE_LIMITS)
  return defineTool({
    id: 'sshawl_say',
    title: 'Say',
    description: 'Posts a message in a room at once. Your answer belongs in your reply.',
    access: 'write',
    input: z.strictObject({ text: z.string(), room: roomParameter }),
    parameters: { text: 'The message.', room: ROOM_PARAMETER_TEXT },
    asks: async ({ text, room: name }, context) => {
      const room = await roomToChange(parts, context, name)
      return changeQuestion(room, context, { what: spoken(text), asked: `say in ${room.name}?` })
    },
    run: async ({ text, room: name }, context) => {
      const room = await roomToChange(parts, context, name)
      await post(room, spoken(text), context)
      return ok(`Said in ${room.name}.`)
    },
  })
}

/** In another room nobody has seen for whom the model speaks, so the message names that person. */
async function post(room: Room, said: string, context: ToolContext): Promise<void> {
  const { person } = context.requester
  const author = context.chat.turn?.model ?? person.name
  if (room.name === context.room) await context.addMessage({ kind: 'message', author, text: said })
  else
    await room.record({
      kind: 'message',
      author,
      ...(context.chat.turn ? {} : { by: person.id }),
      text: context.chat.turn ? `(for ${person.name}) ${said}` : said,
    })
}
