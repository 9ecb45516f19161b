import { z } from 'zod'
import type { Clock } from '../../base/environment.ts'
import type { Zone } from '../../base/zone.ts'
import { Refusal } from '../../words/errors.ts'
import type { Person } from '../../words/person.ts'
import type { MessageLimits } from '../../chat/text/index.ts'
import type { EntryLog, RoomStore, Room, Rooms } from '../../chat/index.ts'
import type { ToolContext, Question } from '../../tools/index.ts'
import type { Memories } from '../memory/index.ts'
import type { Routines } from '../routines/index.ts'

/** The defaults of `[limits]`. */
export const MESSAGE_LIMITS = { message_chars: 4000, paste_bytes: 65_536, message_lines: 400 }

export interface RoomToolParts {
  readonly rooms: Rooms
  readonly log: Pick<EntryLog, 'search'>
  /** For notes and vibes. */
  readonly store: Pick<RoomStore, 'getValue' | 'setValue' | 'update'>
  /** The models that can be mentioned. */
  readonly models?: { names(): readonly string[] }
  readonly speech?: MessageLimits
  readonly memories?: Memories
  /** Returns undefined while the server starts. */
  readonly reminders?: () => Reminders | undefined
}

export interface Reminders {
  readonly routines: Pick<Routines, 'make'>
  readonly zoneOf: (person: Person) => Promise<Zone>
  readonly clock: Clock
}

export const roomParameter = z.string().max(32).describe('Default: here.').optional()

/**
 * Returns the named room, the room that the turn walked to, or the call's own. All readers of the call's
 * room, which records the result, must be able to see it. Hidden and missing rooms throw equal `Refusal`s.
 */
export const roomOf = (
  { rooms }: RoomToolParts,
  { chat, room, requester }: ToolContext,
  name: string | undefined,
): Promise<Room> => rooms.get(name ?? chat.turn?.currentRoom.name ?? room, requester.person, room)

/** Returns a room if models may walk there. Throws `Refusal` as `roomOf` does. */
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

/** `asked` is as in `say in lobby?`. A grant covers exactly `what`. */
export const changeQuestion = (room: Room, context: ToolContext, what: string, asked: string): Question => ({
  target: `${room.name}: ${what}`,
  detail: room.name === context.room ? what : `in the room ${room.name}:\n${what}`,
  asked,
})

/** Throws `Refusal` unless models may walk from the call's room to this one. People may go anywhere. */
export async function needNav({ rooms }: RoomToolParts, context: ToolContext, room: Room): Promise<void> {
  if (room.name === context.room || context.chat.turn === undefined) return
  for (const name of [context.room, room.name]) {
    if (await rooms.exits.nav(name)) continue
    throw new Refusal(`models may not walk from ${context.room} to ${room.name}: nav is off in ${name}`)
  }
}
