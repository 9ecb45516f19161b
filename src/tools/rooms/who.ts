import { z } from 'zod'
import { defineTool, ok, type Tool } from '../tool.ts'
import { inRoom, roomParameter, roomParameterText, type WorldParts } from './world.ts'

/** Who is in a room now. */
export const whoTool = (parts: WorldParts): Tool =>
  defineTool({
    id: 'sshawl_who',
    title: 'Who Is Here',
    description: 'Lists the people who are in a room now, one a line with their role, and the models.',
    access: 'read',
    input: z.strictObject({ room: roomParameter }),
    parameters: { room: roomParameterText },
    run: async ({ room: name }, context) =>
      inRoom('sshawl_who', parts, context, name, async (room) => {
        const people = room.present().map(async (person) => `${person.name} (${await room.roleOf(person)})`)
        const models = (parts.models?.names() ?? []).map((model) => `@${model} (model)`)
        return ok([...(await Promise.all(people)), ...models].join('\n') || 'Nobody is here.')
      }),
  })
