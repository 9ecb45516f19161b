import { z } from 'zod'
import type { RoomName } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import { roomName } from '../../words/names.ts'
import type { Room } from '../../chat/index.ts'
import { type ToolContext, defineTool, type Tool } from '../../tools/index.ts'
import { ok, type ToolResult } from '../../tools/results/index.ts'
import { describeRoom } from './reading.ts'
import { changeQuestion, needNav, roomOf, roomToChange, type RoomToolParts } from './shared.ts'

export const goTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_go',
    title: 'Go',
    description:
      'Walks through an exit. Your tools then mean the room behind it; your reply still goes to those ' +
      'who called you.',
    access: 'read',
    walks: true,
    input: z.strictObject({ direction: z.string().max(32).describe('As exits lists it.') }),
    run: async ({ direction }, context) =>
      walk(parts, context, async (current) => {
        const audience = { viewer: context.requester.person, toldIn: context.room }
        return (await parts.rooms.exits.follow(current, direction.toLowerCase(), audience)).room
      }),
  })

export const joinTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_join',
    title: 'Join',
    description:
      'Walks into another room. Your tools then mean that room; your reply still goes to those who ' +
      'called you.',
    access: 'read',
    walks: true,
    input: z.strictObject({ room: z.string().max(32).describe('Its name.') }),
    run: async ({ room }, context) => walk(parts, context, async () => room),
  })

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

/** Changes the turn's current room; its log and scope stay. Throws `Refusal`. */
async function walk(
  parts: RoomToolParts,
  context: ToolContext,
  to: (current: RoomName) => Promise<string>,
): Promise<ToolResult> {
  const { turn } = context.chat
  if (!turn) throw new Refusal('only a model in its turn walks; people use go and join')
  const room = await parts.rooms.get(await to(turn.currentRoom.name), context.requester.person, context.room)
  await needNav(parts, context, room)
  turn.currentRoom.name = room.name
  return ok(await describeRoom(room, parts))
}

export const createRoomTool = (parts: RoomToolParts): Tool =>
  createCreationTool(parts, {
    id: 'sshawl_create',
    title: 'Create Room',
    description: 'Makes a room, owned by your requester.',
  })

export const forkRoomTool = (parts: RoomToolParts): Tool =>
  createCreationTool(parts, {
    id: 'sshawl_fork',
    title: 'Fork Room',
    description: 'Makes a room like this one.',
    copies: true,
  })

type About = Pick<Tool, 'id' | 'title' | 'description'>

function createCreationTool(
  parts: RoomToolParts,
  { copies, ...about }: About & { readonly copies?: true },
): Tool {
  /** Throws `Refusal` for a private room made from a public one, whose readers would see the call. */
  async function findSourceRoom(isPrivate: boolean, context: ToolContext): Promise<Room> {
    const here = await roomOf(parts, context, context.room)
    if (isPrivate && !(await here.info()).private)
      throw new Refusal(
        `a private room cannot be made from ${here.name}, which is public; people can: create`,
      )
    return copies ? await roomToChange(parts, context, undefined) : here
  }

  return defineTool({
    ...about,
    access: 'write',
    input: z.strictObject({
      name: z.string().describe('Of a-z, 0-9, _ and -.'),
      private: z.boolean().describe('Hidden from others.').default(false),
    }),
    asks: async ({ name, private: isPrivate }, context) => {
      const room = await findSourceRoom(isPrivate, context)
      const what = `make the room ${roomName(name)}${copies ? ` like ${room.name}` : ''}`
      const owned = `${what}${isPrivate ? ', private' : ''}, owned by ${context.requester.person.name}`
      return changeQuestion(room, context, owned, `${what}?`)
    },
    run: async (wanted, context) => {
      const room = await findSourceRoom(wanted.private, context)
      const { person } = context.requester
      const made = copies
        ? await parts.rooms.fork(room, wanted.name, person, wanted)
        : await parts.rooms.create(wanted.name, person, wanted)
      return ok(`Made ${made.name}, owned by ${person.name}.`)
    },
  })
}
