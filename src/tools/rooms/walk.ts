import type { RoomName } from '../../chat/entry.ts'
import { Refusal } from '../../chat/errors.ts'
import { describeRoom } from './look.ts'
import type { ToolContext } from '../context.ts'
import { ok, type ToolResult } from '../result.ts'
import { needNav, type RoomToolParts } from './in-room.ts'

/**
 * Makes another room the turn's current one: from now on these tools use that room where a call names none. The turn
 * itself, its log and its tool scope stay where they are. Throws `Refusal`.
 */
export async function walk(
  parts: RoomToolParts,
  context: ToolContext,
  to: (current: RoomName) => Promise<string>,
): Promise<ToolResult> {
  const {
    chat: { turn },
    requester,
  } = context
  if (!turn) throw new Refusal('only a model in its turn walks; people use go and join')
  const room = await parts.rooms.get(await to(turn.currentRoom.name), requester.person, context.room)
  await needNav(parts, context, room)
  turn.currentRoom.name = room.name
  return ok(await describeRoom(room, parts))
}
