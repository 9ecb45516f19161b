import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import type { Tool } from '../tool.ts'
import { walk } from './walk.ts'
import type { RoomToolParts } from './in-room.ts'

/** Walks through an exit. */
export const goTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_go',
    title: 'Go',
    description:
      'Walks through an exit. Your tools then mean the room behind it; your reply still goes to those ' +
      'who called you.',
    access: 'read',
    walks: true,
    input: z.strictObject({ direction: z.string().max(32) }),
    parameters: { direction: 'As exits lists it.' },
    run: async ({ direction }, context) =>
      walk(parts, context, async (current) => {
        const audience = { viewer: context.requester.person, toldIn: context.room }
        const exit = await parts.rooms.exits.follow(current, direction.toLowerCase(), audience)
        return exit.room
      }),
  })
