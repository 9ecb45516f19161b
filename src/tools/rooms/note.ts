import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import type { RoomName } from '../../chat/entry.ts'
import { Refusal } from '../../chat/errors.ts'
import { oneLine } from '../../chat/message-text.ts'
import { createSerial } from '../../lib/jobs/serial.ts'
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

/** The room key-value that holds its notes: a list of lines, oldest first. */
const KEY = 'notes'

/** What one room may hold, and one note. */
const MAX_NOTES = 100
const MAX_NOTE_CHARS = 500

const noteList = z.array(z.string())

/** Adds a note to a room, or reads its notes. */
export function noteTool(parts: RoomToolParts): Tool {
  // Two notes at once must not overwrite each other.
  const oneByOne = createSerial()

  /** Throws `Refusal`. */
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

  return defineTool({
    id: 'sshawl_note',
    title: 'Note',
    description: "Adds a line to a room's lasting notes. Without a text reads them.",
    access: 'write',
    input: z.strictObject({ text: z.string().optional(), room: roomParameter }),
    parameters: {
      text: 'One line.',
      room: ROOM_PARAMETER_TEXT,
    },
    async asks({ text, room: name }, context) {
      if (text === undefined) return 'nobody'
      const room = await roomToChange(parts, context, name)
      return changeQuestion(room, context, { what: noteLine(text), asked: `note in ${room.name}?` })
    },
    async run({ text, room: name }, context) {
      if (text === undefined) {
        const notes = await notesOf((await roomOf(parts, context, name)).name)
        return ok(notes.join('\n') || 'There are no notes.')
      }
      const room = await roomToChange(parts, context, name)
      return ok(`Noted; ${room.name} has ${await add(room.name, noteLine(text))} now.`)
    },
  })
}

/** Throws `Refusal` for a note that is empty or too long. */
function noteLine(text: string): string {
  const note = oneLine(text, MAX_NOTE_CHARS)
  if (note === '') throw new Refusal('there is nothing to note: the text is empty')
  return note
}
