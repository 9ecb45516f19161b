import { z } from 'zod'
import type { Rooms } from '../../chat/rooms.ts'
import { Refusal } from '../../chat/errors.ts'
import type { EntryLog, RoomStore } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import type { MessageLimits } from '../../chat/message-text.ts'
import type { ToolContext } from '../context.ts'
import type { Question } from '../tool.ts'

/** What the tools of the rooms are made from. */
export interface RoomToolParts {
  readonly rooms: Rooms
  /** Finds what was said in rooms that the requester may see. */
  readonly log: Pick<EntryLog, 'search'>
  /** Where notes and vibes are kept. */
  readonly store: Pick<RoomStore, 'getValue' | 'setValue' | 'update'>
  /** The models that can be mentioned; nobody when absent. */
  readonly models?: { names(): readonly string[] }
  /** How long one message may be. */
  readonly speech?: MessageLimits
}

/** A room parameter; absent means the room that the call came from, or that the turn has walked to. */
export const roomParameter = z.string().max(32).optional()

/** Text for `roomParameter`. */
export const ROOM_PARAMETER_TEXT = 'Default: here.'

/**
 * The room that a call means, as the requester may see it. The call and its result are written down in the call's own
 * room, so a private room is there only if all who read that one may see it. Throws `Refusal`, for a room that is not
 * there for them in the same words as for one that does not exist.
 */
export const roomOf = (
  { rooms }: RoomToolParts,
  context: ToolContext,
  name: string | undefined,
): Promise<Room> =>
  rooms.get(
    name ?? context.chat.turn?.currentRoom.name ?? context.room,
    context.requester.person,
    context.room,
  )

/**
 * The room that a call means, where the call changes something. Another room than the call's own can be changed only
 * where models may walk to it. This is checked before people are asked and again after. Throws `Refusal`, as `roomOf`.
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
 * What people are asked before a room is changed. `what` is what the change writes: they are shown all of it, and a grant
 * covers exactly this in this room. `asked` is how the refusal repeats it: `say in lobby?`
 */
export const changeQuestion = (
  room: Room,
  context: ToolContext,
  { what, asked }: { readonly what: string; readonly asked: string },
): Question => ({
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
