import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { ok } from '../result.ts'
import type { Tool } from '../tool.ts'
import { roomOf, roomParameter, ROOM_PARAMETER_TEXT, type RoomToolParts } from './in-room.ts'

/** Lists the exits of a room. */
export const exitsTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_exits',
    title: 'List Exits',
    description: "Lists a room's exits: direction and room.",
    access: 'read',
    input: z.strictObject({ room: roomParameter }),
    parameters: { room: ROOM_PARAMETER_TEXT },
    run: async ({ room: name }, context) => {
      const room = await roomOf(parts, context, name)
      const audience = { viewer: context.requester.person, toldIn: context.room }
      const exits = await parts.rooms.exits.list(room.name, audience)
      return ok(exits.map((exit) => `${exit.direction}: ${exit.room}`).join('\n') || 'There are no exits.')
    },
  })
