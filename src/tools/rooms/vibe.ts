import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { mayManage } from '../../chat/may-manage.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'
import { oneLine } from '../../chat/message-text.ts'
import type { ToolContext } from '../context.ts'
import { ok } from '../result.ts'
import type { Tool } from '../tool.ts'
import {
  changeQuestion,
  roomOf,
  roomParameter,
  roomToChange,
  ROOM_PARAMETER_TEXT,
  type RoomToolParts,
} from './in-room.ts'

/** The same limit as that of the command /vibe. */
const MAX_VIBE_CHARS = 500

/** Reads or sets the mood of a room. */
export const vibeTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_vibe',
    title: 'Vibe',
    description: "Reads a room's vibe, its mood. With a text sets it, for owners and ops.",
    access: 'write',
    input: z.strictObject({ text: z.string().optional(), room: roomParameter }),
    parameters: {
      text: 'One line.',
      room: ROOM_PARAMETER_TEXT,
    },
    async asks({ text, room: name }, context) {
      if (text === undefined) return 'nobody'
      const room = await roomToChange(parts, context, name)
      await needManager(room, context.requester.person)
      const what = oneLine(text, MAX_VIBE_CHARS)
      return changeQuestion(room, context, { what, asked: `set the vibe of ${room.name}?` })
    },
    async run({ text, room: name }, context) {
      if (text === undefined)
        return ok((await (await roomOf(parts, context, name)).info()).vibe || 'No vibe is set.')
      const room = await roomToChange(parts, context, name)
      const vibe = oneLine(text, MAX_VIBE_CHARS)
      await setVibe(parts, context, room, vibe)
      return ok(`The vibe of ${room.name} is now: ${vibe || '(none)'}`)
    },
  })

async function setVibe(
  { store }: RoomToolParts,
  { requester: { person }, chat: { turn } }: ToolContext,
  room: Room,
  vibe: string,
): Promise<void> {
  await needManager(room, person)
  await store.update(room.name, { vibe })
  const by = turn ? `${turn.model}, for ${person.name},` : person.name
  const news = `${by} set the vibe: ${vibe}`
  await room.record({ kind: 'notice', level: 'info', author: person.name, text: news })
}

async function needManager(room: Room, person: Person): Promise<void> {
  if (mayManage(await room.roleOf(person))) return
  throw new Refusal(`only the owner of ${room.name}, an op or an admin can change its vibe`)
}
