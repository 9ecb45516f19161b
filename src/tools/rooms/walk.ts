import type { RoomName } from '../../chat/entry.ts'
import { Refusal } from '../../chat/errors.ts'
import { describeRoom } from './look.ts'
import { ok, type ToolContext, type ToolResult } from '../tool.ts'
import { needNav, refusing, type WorldParts } from './world.ts'

/**
 * Makes another room the turn's current one: from now on its world tools use that room where a call names none. The
 * turn itself, its log and its tool scope stay where they are.
 */
export async function walk(
  tool: string,
  parts: WorldParts,
  context: ToolContext,
  to: (current: RoomName) => Promise<string>,
): Promise<ToolResult> {
  return refusing(tool, async () => {
    const { turn, requester } = context
    if (!turn) throw new Refusal('only a model in its turn walks; people use go and join')
    const room = await parts.chat.room(await to(turn.currentRoom.name), requester.person, context.room)
    await needNav(parts, context, room)
    turn.currentRoom.name = room.name
    return ok(await describeRoom(room, parts))
  })
}
