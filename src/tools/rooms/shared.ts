import { z } from 'zod'
import { Refusal } from '../../chat/errors.ts'
import type { MessageLimits } from '../../chat/input-text.ts'
import type { EntryLog, RoomStore } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import type { Rooms } from '../../chat/rooms.ts'
import type { ToolContext } from '../context.ts'
import type { Question } from '../tool.ts'

/** What the tools of the rooms need. */
export interface RoomToolParts {
  readonly rooms: Rooms
  readonly log: Pick<EntryLog, 'search'>
  /** For notes and vibes. */
  readonly store: Pick<RoomStore, 'getValue' | 'setValue' | 'update'>
  /** The models that can be mentioned; nobody when absent. */
  readonly models?: { names(): readonly string[] }
  /** The limits of one message. */
  readonly speech?: MessageLimits
}

/** Another room than the current one. */
export const roomParameter = z.string().max(32).describe('Default: here.').optional()

/**
 * The room that a call means: its own or the one that the turn has walked to, if it names none. The call and
 * its result are written down in the call's own room, so a private room is there only if all who read that
 * one may see it. Throws `Refusal`, for a room that is not there for them in the same words as for one that
 * does not exist.
 */
export const roomOf = (
  { rooms }: RoomToolParts,
  { chat, room, requester }: ToolContext,
  name: string | undefined,
): Promise<Room> => rooms.get(name ?? chat.turn?.currentRoom.name ?? room, requester.person, room)

/**
 * The room that a call changes. Another room than the call's own can be changed only if models may walk to
 * it. This is checked before people are asked and again after. Throws `Refusal`, as `roomOf`.
 */
export async function roomToChange(
  parts: RoomToolParts,
  context: ToolContext,
  name: string | undefined,
): Promise<Room> {
  const room = await roomOf(parts, context, name)
  await needNav(parts, context, room)
  room.needVoice(context.requester.person)
  return room
}

/**
 * The question before a room is changed. `what` is all that the change writes: people are shown it, and a
 * grant covers exactly this in this room. `asked` is how the refusal repeats it: `say in lobby?`
 */
export const changeQuestion = (room: Room, context: ToolContext, what: string, asked: string): Question => ({
  target: `${room.name}: ${what}`,
  detail: room.name === context.room ? what : `in the room ${room.name}:\n${what}`,
  asked,
})

/** Throws `Refusal` unless models may walk from the call's room to this one. People go where they like. */
export async function needNav({ rooms }: RoomToolParts, context: ToolContext, room: Room): Promise<void> {
  if (room.name === context.room || context.chat.turn === undefined) return
  for (const name of [context.room, room.name]) {
    if (await rooms.exits.nav(name)) continue
    throw new Refusal(`models may not walk from ${context.room} to ${room.name}: nav is off in ${name}`)
  }
}
