import type { RoomName } from '../../chat/entry.ts'
import { Refusal } from '../../chat/errors.ts'
import { describeRoom } from './look.ts'
import { ok, type ToolContext, type ToolResult } from '../tool.ts'
import { needNav, refusing, type WorldParts } from './world.ts'

/**
 * Makes another room the place of the turn: from now on its world tools mean that room where they name none. The
 * turn itself, its log and its tool scope stay where they are.
 */
export async function walk(
  tool: string,
  parts: WorldParts,
  context: ToolContext,
  to: (place: RoomName) => Promise<string>,
): Promise<ToolResult> {
  return refusing(tool, async () => {
    const { place, requester } = context
    if (!place) throw new Refusal('only a model in its turn walks; people use go and join')
    const room = await parts.chat.room(await to(place.room), requester.person, context.room)
    await needNav(parts, context, room)
    place.room = room.name
    return ok(await describeRoom(room, parts))
  })
}
