import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { Refusal } from '../../chat/errors.ts'
import { roomName } from '../../chat/people/names.ts'
import type { Room } from '../../chat/room.ts'
import { changeQuestion, roomOf, roomToChange, type RoomToolParts } from './in-room.ts'
import type { ToolContext } from '../context.ts'
import { ok, type ToolResult } from '../result.ts'
import type { Question, Tool } from '../tool.ts'

const input = z.strictObject({ name: z.string(), private: z.boolean().default(false) })

const parameters = {
  name: 'Of a-z, 0-9, _ and -.',
  private: 'Hidden from others.',
}

type Wanted = z.output<typeof input>

/** Makes a room. */
export const createRoomTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_create',
    title: 'Create Room',
    description: 'Makes a room, owned by your requester.',
    access: 'write',
    input,
    parameters,
    asks: async (wanted, context) => {
      const here = await roomToMakeFrom(parts, context, wanted)
      return makeQuestion(here, context, wanted, `make the room ${roomName(wanted.name)}`)
    },
    run: async (wanted, context) => {
      await roomToMakeFrom(parts, context, wanted)
      return made(await parts.rooms.create(wanted.name, context.requester.person, wanted), context)
    },
  })

/** Makes a room like the current one. */
export const forkRoomTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_fork',
    title: 'Fork Room',
    description: 'Makes a room like this one, with its vibe, tools, script and key-values.',
    access: 'write',
    input,
    parameters,
    asks: async (wanted, context) => {
      await roomToMakeFrom(parts, context, wanted)
      const room = await roomToChange(parts, context, undefined)
      const what = `make the room ${roomName(wanted.name)} like ${room.name}`
      return makeQuestion(room, context, wanted, what)
    },
    run: async (wanted, context) => {
      await roomToMakeFrom(parts, context, wanted)
      const room = await roomToChange(parts, context, undefined)
      return made(await parts.rooms.fork(room, wanted.name, context.requester.person, wanted), context)
    },
  })

/**
 * The call's own room. A private room cannot be made from a public one: the call is written down there, so all who read
 * it would learn of the private room. Throws `Refusal`.
 */
async function roomToMakeFrom(parts: RoomToolParts, context: ToolContext, wanted: Wanted): Promise<Room> {
  const here = await roomOf(parts, context, context.room)
  if (wanted.private && !(await here.info()).private)
    throw new Refusal(`a private room cannot be made from ${here.name}, which is public; people can: create`)
  return here
}

function makeQuestion(room: Room, context: ToolContext, wanted: Wanted, what: string): Question {
  const owned = `${what}${wanted.private ? ', private' : ''}, owned by ${context.requester.person.name}`
  return changeQuestion(room, context, { what: owned, asked: `${what}?` })
}

const made = ({ name }: Room, { requester }: ToolContext): ToolResult =>
  ok(`Made ${name}, owned by ${requester.person.name}.`)
