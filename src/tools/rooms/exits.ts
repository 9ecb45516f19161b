import { z } from 'zod'
import { defineTool, ok, type Tool } from '../tool.ts'
import { inRoom, roomParameter, roomParameterText, type WorldParts } from './world.ts'

/** The ways out of a room. */
export const exitsTool = (parts: WorldParts): Tool =>
  defineTool({
    id: 'sshawl_exits',
    title: 'List Exits',
    description: 'Lists the exits of a room, one a line: the direction, and the room it leads to.',
    access: 'read',
    input: z.strictObject({ room: roomParameter }),
    parameters: { room: roomParameterText },
    run: async ({ room: name }, context) =>
      inRoom('sshawl_exits', parts, context, name, async (room) => {
        const audience = { viewer: context.requester.person, toldIn: context.room }
        const exits = await parts.chat.exits.list(room.name, audience)
        return ok(exits.map((exit) => `${exit.direction}: ${exit.room}`).join('\n') || 'There are no exits.')
      }),
  })
