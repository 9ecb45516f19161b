import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { Refusal } from '../../chat/errors.ts'
import { roomName } from '../../chat/names.ts'
import type { Person } from '../../chat/person.ts'
import type { Room } from '../../chat/room.ts'
import { act, roomOf, type RoomToolParts } from './in-room.ts'
import { ok, type Tool, type ToolContext, type ToolResult } from '../tool.ts'

const input = z.strictObject({ name: z.string(), private: z.boolean().default(false) })

const parameters = {
  name: '1-32 of a-z, 0-9, _ and -.',
  private: 'Only its members see it; not from a public room.',
}

/** Makes a room. */
export const createRoomTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_create',
    title: 'Create Room',
    description: 'Makes a new room, which belongs to the person you act for.',
    access: 'write',
    input,
    parameters,
    run: async (wanted, context) => {
      const here = await roomOf(parts, context, context.room)
      const order = { tool: 'sshawl_create', what: `make the room ${roomName(wanted.name)}`, ...wanted }
      return make(parts, context, here, order, (owner) => parts.chat.create(wanted.name, owner, wanted))
    },
  })

/** Makes a room like the current one. */
export const forkRoomTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_fork',
    title: 'Fork Room',
    description:
      'Makes a new room like the one you are in. It gets the vibe, tools, script and key-values, nothing ' +
      'of what was said, and belongs to the person you act for.',
    access: 'write',
    input,
    parameters,
    run: async (wanted, context) => {
      const room = await roomOf(parts, context, undefined)
      const what = `make the room ${roomName(wanted.name)} like ${room.name}`
      const order = { tool: 'sshawl_fork', what, ...wanted }
      return make(parts, context, room, order, (owner) => parts.chat.fork(room, wanted.name, owner, wanted))
    },
  })

async function make(
  parts: RoomToolParts,
  context: ToolContext,
  room: Room,
  { tool, what, ...wanted }: z.output<typeof input> & { readonly tool: string; readonly what: string },
  run: (owner: Person) => Promise<Room>,
): Promise<ToolResult> {
  const { person } = context.requester
  const here = await parts.chat.room(context.room, person)
  // This call is written down in the public room, so all who read it would learn of the private one.
  if (wanted.private && !(await here.info()).private)
    throw new Refusal(`a private room cannot be made from ${here.name}, which is public; people can: create`)
  const detail = `${what}${wanted.private ? ', private' : ''}, owned by ${person.name}`
  return act(parts, context, room, { tool, what: detail, asked: `${what}?` }, async () =>
    ok(`Made ${(await run(person)).name}, owned by ${person.name}.`),
  )
}
