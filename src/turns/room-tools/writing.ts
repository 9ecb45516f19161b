import { z } from 'zod'
import type { RoomName } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import { mayManage, type Room } from '../../chat/index.ts'
import { messageText, oneLine } from '../../chat/text/index.ts'
import { speakerCalled } from '../../words/names.ts'
import type { Person } from '../../words/person.ts'
import { createSerial } from '../../base/jobs/serial.ts'
import { type ToolContext, defineTool, type Tool } from '../../tools/index.ts'
import { ok } from '../../tools/results/index.ts'
import {
  changeQuestion,
  MESSAGE_LIMITS,
  roomOf,
  roomParameter,
  roomToChange,
  type RoomToolParts,
} from './shared.ts'

export function sayTool(parts: RoomToolParts): Tool {
  const spoken = (text: string): string => messageText(text, parts.speech ?? MESSAGE_LIMITS)
  return defineTool({
    id: 'sshawl_say',
    title: 'Say',
    description: 'Posts a message in a room at once. Your answer belongs in your reply.',
    access: 'write',
    input: z.strictObject({ text: z.string().describe('The message.'), room: roomParameter }),
    asks: async ({ text, room: name }, context) => {
      const room = await roomToChange(parts, context, name)
      return changeQuestion(room, context, spoken(text), `say in ${room.name}?`)
    },
    run: async ({ text, room: name }, context) => {
      const room = await roomToChange(parts, context, name)
      await post(room, spoken(text), context)
      return ok(`Said in ${room.name}.`)
    },
  })
}

/** In another room nobody saw the requester, so the message names them. */
async function post(room: Room, text: string, context: ToolContext): Promise<void> {
  const { person } = context.requester
  const { turn } = context.chat
  const message = { kind: 'message', ...speakerCalled(turn?.model ?? person.name) } as const
  if (room.name === context.room) await context.addMessage({ ...message, text })
  else if (turn) await room.record({ ...message, text: `(for ${person.name}) ${text}` })
  else await room.record({ ...message, by: person.id, text, byProgram: true })
}

/** The same limit as of /vibe. */
const MAX_VIBE_CHARS = 500

export const vibeTool = (parts: RoomToolParts): Tool =>
  lineTool(parts, {
    id: 'sshawl_vibe',
    title: 'Vibe',
    description: "Reads a room's vibe, its mood. With a text sets it, for owners and ops.",
    asked: 'set the vibe of',
    read: async (room) => (await room.info()).vibe || 'No vibe is set.',
    async check(room, text, person) {
      if (!mayManage(await room.roleOf(person)))
        throw new Refusal(`only the owner of ${room.name}, an op or an admin can change its vibe`)
      return oneLine(text, MAX_VIBE_CHARS)
    },
    async write(room, vibe, { requester: { person }, chat: { turn } }) {
      await parts.store.update(room.name, { vibe })
      const by = turn ? `${turn.model}, for ${person.name},` : person.name
      const text = `${by} set the vibe: ${vibe}`
      await room.record({ kind: 'notice', level: 'info', author: person.name, text })
      return `The vibe of ${room.name} is now: ${vibe || '(none)'}`
    },
  })

/** The room's key for notes: a list of lines, oldest first. */
const KEY = 'notes'

const MAX_NOTES = 100
const MAX_NOTE_CHARS = 500

const noteList = z.array(z.string())

export function noteTool(parts: RoomToolParts): Tool {
  // Two notes at once must not overwrite each other.
  const oneByOne = createSerial()

  async function notesOf(room: RoomName): Promise<readonly string[]> {
    const found = noteList.safeParse((await parts.store.getValue(room, KEY)) ?? [])
    if (found.success) return found.data
    throw new Refusal(`the key-value ${KEY} of ${room} is no list of lines; kv ${KEY} - clears it`)
  }

  const add = (room: RoomName, note: string): Promise<number> =>
    oneByOne(async () => {
      const notes = await notesOf(room)
      if (notes.length >= MAX_NOTES)
        throw new Refusal(`${room} has ${MAX_NOTES} notes, which is the limit; kv ${KEY} - clears them`)
      await parts.store.setValue(room, KEY, [...notes, note])
      return notes.length + 1
    })

  return lineTool(parts, {
    id: 'sshawl_note',
    title: 'Note',
    description: "Adds a line to a room's lasting notes. Without a text reads them.",
    asked: 'note in',
    read: async (room) => (await notesOf(room.name)).join('\n') || 'There are no notes.',
    async check(_, text) {
      const note = oneLine(text, MAX_NOTE_CHARS)
      if (note === '') throw new Refusal('there is nothing to note: the text is empty')
      return note
    },
    write: async ({ name }, note) => `Noted; ${name} has ${await add(name, note)} now.`,
  })
}

interface LineTool extends Pick<Tool, 'id' | 'title' | 'description'> {
  /** A question that the room's name completes: `note in`. */
  readonly asked: string
  readonly read: (room: Room) => Promise<string>
  /** Returns the line to write. Throws `Refusal`. */
  readonly check: (room: Room, text: string, person: Person) => Promise<string>
  readonly write: (room: Room, line: string, context: ToolContext) => Promise<string>
}

/** A tool that reads if it gets no text. */
const lineTool = (parts: RoomToolParts, { asked, read, check, write, ...about }: LineTool): Tool =>
  defineTool({
    ...about,
    access: 'write',
    input: z.strictObject({ text: z.string().describe('One line.').optional(), room: roomParameter }),
    async asks({ text, room: name }, context) {
      if (text === undefined) return 'nobody'
      const room = await roomToChange(parts, context, name)
      const line = await check(room, text, context.requester.person)
      return changeQuestion(room, context, line, `${asked} ${room.name}?`)
    },
    async run({ text, room: name }, context) {
      if (text === undefined) return ok(await read(await roomOf(parts, context, name)))
      const room = await roomToChange(parts, context, name)
      return ok(await write(room, await check(room, text, context.requester.person), context))
    },
  })
