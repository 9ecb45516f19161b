import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { ok } from '../result.ts'
import type { Tool } from '../tool.ts'
import { roomOf, roomParameter, ROOM_PARAMETER_TEXT, type RoomToolParts } from './in-room.ts'

/** Lists who is in a room now. */
export const whoTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_who',
    title: 'Who Is Here',
    description: 'Lists who is in a room, with roles, and the models.',
    access: 'read',
    input: z.strictObject({ room: roomParameter }),
    parameters: { room: ROOM_PARAMETER_TEXT },
    run: async ({ room: name }, context) => {
      const room = await roomOf(parts, context, name)
      const people = room.present().map(async (person) => `${person.name} (${await room.roleOf(person)})`)
      const models = (parts.models?.names() ?? []).map((model) => `@${model} (model)`)
      return ok([...(await Promise.all(people)), ...models].join('\n') || 'Nobody is here.')
    },
  })
