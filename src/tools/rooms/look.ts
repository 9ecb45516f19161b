import { z } from 'zod'
import type { Room } from '../../chat/room.ts'
import { defineTool, ok, type Tool } from '../tool.ts'
import { inRoom, roomParameter, roomParameterText, type WorldParts } from './world.ts'

/** A room at a glance. */
export const lookTool = (parts: WorldParts): Tool =>
  defineTool({
    id: 'sshawl_look',
    title: 'Look Around',
    description: 'Describes a room: its topic, its mood, whether it is private, and who is there.',
    access: 'read',
    input: z.strictObject({ room: roomParameter }),
    parameters: { room: roomParameterText },
    run: async ({ room: name }, context) =>
      inRoom('sshawl_look', parts, context, name, async (room) => ok(await describeRoom(room, parts))),
  })

/** A room in a few lines, as everybody in it may know it. */
export async function describeRoom(room: Room, { models }: WorldParts): Promise<string> {
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
