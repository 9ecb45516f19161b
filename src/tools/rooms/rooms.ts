import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { ok } from '../result.ts'
import type { Tool } from '../tool.ts'
import type { RoomToolParts } from './in-room.ts'

/** Lists the rooms that the requester may see. */
export const listRoomsTool = ({ rooms }: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_rooms',
    title: 'List Rooms',
    description: 'Lists the rooms that your requester can see.',
    access: 'read',
    input: z.strictObject({}),
    run: async (_, context) => {
      const rows = await rooms.list(context.requester.person, context.room)
      return ok(rows.map((row) => [line(row), ...(row.topic ? [row.topic] : [])].join(': ')).join('\n'))
    },
  })

const line = (row: { readonly name: string; readonly private: boolean }): string =>
  row.private ? `${row.name} (private)` : row.name
