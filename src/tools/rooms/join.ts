import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import type { Tool } from '../tool.ts'
import { walk } from './walk.ts'
import type { RoomToolParts } from './in-room.ts'

/** Walks into a room by its name. */
export const joinTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_join',
    title: 'Join',
    description:
      'Walks into another room. Your tools then mean that room; your reply still goes to those who ' +
      'called you.',
    access: 'read',
    walks: true,
    input: z.strictObject({ room: z.string().max(32) }),
    parameters: { room: 'Its name.' },
    run: async ({ room }, context) => walk(parts, context, async () => room),
  })

/** Walks back to the room in which the turn began. */
export const leaveTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_leave',
    title: 'Leave',
    description: 'Walks back to the room you were called in.',
    access: 'read',
    walks: true,
    input: z.strictObject({}),
    run: async (_, context) => walk(parts, context, async () => context.room),
  })
