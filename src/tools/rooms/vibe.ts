import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { mayManage } from '../../chat/access.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Person } from '../../chat/person.ts'
import type { Room } from '../../chat/room.ts'
import { oneLine } from '../../chat/speech.ts'
import { ok, type Tool } from '../tool.ts'
import { act, roomOf, roomParameter, ROOM_PARAMETER_TEXT, type RoomToolParts } from './in-room.ts'

/** The same limit as that of the command /vibe. */
const MAX_VIBE_CHARS = 500

/** Reads or sets the mood of a room. */
export const vibeTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_vibe',
    title: 'Vibe',
    description:
      "Reads a room's vibe, the mood that models keep to. With a text it sets it, for an owner or op of " +
      'the room.',
    access: 'write',
    input: z.strictObject({ text: z.string().optional(), room: roomParameter }),
    parameters: {
      text: `One line, at most ${MAX_VIBE_CHARS} characters.`,
      room: ROOM_PARAMETER_TEXT,
    },
    run: async ({ text, room: name }, context) => {
      const room = await roomOf(parts, context, name)
      if (text === undefined) return ok((await room.info()).vibe || 'No vibe is set.')
      const { person } = context.requester
      await needManager(room, person)
      const vibe = oneLine(text, MAX_VIBE_CHARS)
      const change = { tool: 'sshawl_vibe', what: vibe, asked: `set the vibe of ${room.name}?` }
      return act(parts, context, room, change, async () => {
        await needManager(room, person)
        await parts.rooms.update(room.name, { vibe })
        const by = context.turn ? `${context.turn.model}, for ${person.name},` : person.name
        const news = `${by} set the vibe: ${vibe}`
        await room.record({ kind: 'notice', level: 'info', author: person.name, text: news })
        return ok(`The vibe of ${room.name} is now: ${vibe || '(none)'}`)
      })
    },
  })

async function needManager(room: Room, person: Person): Promise<void> {
  if (mayManage(await room.roleOf(person))) return
  throw new Refusal(`only the owner of ${room.name}, an op or an admin can change its vibe`)
}
