import { z } from 'zod'
import { mayManage } from '../../chat/access.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Person } from '../../chat/person.ts'
import type { Room } from '../../chat/room.ts'
import { oneLine } from '../../chat/speech.ts'
import { defineTool, ok, type Tool } from '../tool.ts'
import { act, inRoom, roomParameter, roomParameterText, type WorldParts } from './world.ts'

/** Characters, as the command has it. */
const longest = 500

/** The mood of a room. */
export const vibeTool = (parts: WorldParts): Tool =>
  defineTool({
    id: 'sshawl_vibe',
    title: 'Vibe',
    description:
      "Reads a room's vibe, the mood that models keep to there. With a text it sets it, if the person you act for " +
      'is an owner or op of the room.',
    access: 'write',
    input: z.strictObject({ text: z.string().optional(), room: roomParameter }),
    parameters: { text: `One line, at most ${longest} characters; absent to read.`, room: roomParameterText },
    run: async ({ text, room: name }, context) =>
      inRoom('sshawl_vibe', parts, context, name, async (room) => {
        if (text === undefined) return ok((await room.info()).vibe || 'No vibe is set.')
        const { person } = context.requester
        await needManager(room, person)
        const vibe = oneLine(text, longest)
        const change = { tool: 'sshawl_vibe', what: vibe, asked: `set the vibe of ${room.name}?` }
        return act(parts, context, room, change, async () => {
          await needManager(room, person)
          await parts.rooms.update(room.name, { vibe })
          const by = context.turn ? `${context.turn.model}, for ${person.name},` : person.name
          const news = `${by} set the vibe: ${vibe}`
          await room.record({ kind: 'notice', level: 'info', author: person.name, text: news })
          return ok(`The vibe of ${room.name} is now: ${vibe || '(none)'}`)
        })
      }),
  })

async function needManager(room: Room, person: Person): Promise<void> {
  if (mayManage(await room.roleOf(person))) return
  throw new Refusal(`only the owner of ${room.name}, an op or an admin can change its vibe`)
}
