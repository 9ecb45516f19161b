import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import type { Room } from '../../chat/room.ts'
import { ok } from '../result.ts'
import type { Tool } from '../tool.ts'
import { roomOf, roomParameter, ROOM_PARAMETER_TEXT, type RoomToolParts } from './in-room.ts'

/** Describes a room. */
export const lookTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_look',
    title: 'Look Around',
    description: 'Describes a room: topic, mood, who is there.',
    access: 'read',
    input: z.strictObject({ room: roomParameter }),
    parameters: { room: ROOM_PARAMETER_TEXT },
    run: async ({ room: name }, context) => ok(await describeRoom(await roomOf(parts, context, name), parts)),
  })

/** Describes a room in a few lines, which hold nothing that a person in it may not know. */
export async function describeRoom(room: Room, { models }: RoomToolParts): Promise<string> {
  const { topic, vibe, private: hidden } = await room.info()
  return [
    `Room: ${room.name}${hidden ? ' (private)' : ''}`,
    ...(topic ? [`Topic: ${topic}`] : []),
    ...(vibe ? [`Vibe: ${vibe}`] : []),
    `People here: ${listed(room.present().map((person) => person.name))}`,
    ...(models ? [`Models: ${listed(models.names().map((name) => `@${name}`))}`] : []),
  ].join('\n')
}

const listed = (names: readonly string[]): string => names.join(', ') || 'nobody'
