import { z } from 'zod'
import type { RoomName } from '../../chat/entry.ts'
import { Refusal } from '../../chat/errors.ts'
import { oneLine } from '../../chat/speech.ts'
import { createSerial } from '../../lib/serial.ts'
import { defineTool, ok, type Tool } from '../tool.ts'
import { act, inRoom, roomParameter, roomParameterText, type WorldParts } from './world.ts'

/** The room key-value that holds its notes: a list of lines, oldest first. */
const key = 'notes'

/** What one room may hold. */
const mostNotes = 100
const mostChars = 500

const list = z.array(z.string())

/** What a room is to remember. */
export function noteTool(parts: WorldParts): Tool {
  // Two notes at once must not overwrite each other.
  const oneByOne = createSerial()

  /** Throws `Refusal`. */
  async function notesOf(room: RoomName): Promise<readonly string[]> {
    const found = list.safeParse((await parts.rooms.getValue(room, key)) ?? [])
    if (found.success) return found.data
    throw new Refusal(`the key-value ${key} of ${room} is no list of lines; kv ${key} - clears it`)
  }

  const add = (room: RoomName, note: string): Promise<number> =>
    oneByOne(async () => {
      const notes = await notesOf(room)
      if (notes.length >= mostNotes)
        throw new Refusal(`${room} has ${mostNotes} notes, which is the limit; kv ${key} - clears them`)
      await parts.rooms.setValue(room, key, [...notes, note])
      return notes.length + 1
    })

  return defineTool({
    id: 'sshawl_note',
    title: 'Note',
    description:
      "Adds a line to the room's notes, which stay when the conversation has moved on. Without a text it reads them.",
    access: 'write',
    input: z.strictObject({ text: z.string().optional(), room: roomParameter }),
    parameters: {
      text: `One line, at most ${mostChars} characters; absent to read.`,
      room: roomParameterText,
    },
    run: async ({ text, room: name }, context) =>
      inRoom('sshawl_note', parts, context, name, async (room) => {
        if (text === undefined) return ok((await notesOf(room.name)).join('\n') || 'There are no notes.')
        const note = noteLine(text)
        const question = { tool: 'sshawl_note', what: note, asked: `note in ${room.name}?` }
        return act(parts, context, room, question, async () =>
          ok(`Noted; ${room.name} has ${await add(room.name, note)} now.`),
        )
      }),
  })
}

/** Throws `Refusal`: nothing in it, too long. */
function noteLine(text: string): string {
  const note = oneLine(text, mostChars)
  if (note === '') throw new Refusal('there is nothing to note: the text is empty')
  return note
}
