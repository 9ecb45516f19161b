import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import { entryLine } from '../../chat/entry-text.ts'
import type { Entry, EntryId, EntryKind } from '../../chat/entry.ts'
import { ok } from '../result.ts'
import type { Tool } from '../tool.ts'
import { roomOf, roomParameter, ROOM_PARAMETER_TEXT, type RoomToolParts } from './in-room.ts'

/** What people and models said; not who came and went, nor which tools ran. */
export const SPOKEN_KINDS: readonly EntryKind[] = ['message', 'action', 'reply', 'notice']

/** Reads what was said in a room before the conversation that the model is given. */
export const historyTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_history',
    title: 'Read Back',
    description: 'Reads what was said in a room, oldest first. The first line says how to go back.',
    access: 'read',
    input: z.strictObject({
      limit: z.int().min(1).max(200).default(30),
      before: z.string().max(64).optional(),
      room: roomParameter,
    }),
    parameters: {
      limit: 'Default: 30.',
      before: 'An id from there.',
      room: ROOM_PARAMETER_TEXT,
    },
    run: async ({ limit, before, room: name }, context) => {
      const room = await roomOf(parts, context, name)
      const older = before ? { before: before as EntryId } : {}
      const query = { limit, kinds: SPOKEN_KINDS, withoutThreads: true, revised: true, ...older }
      return ok(page(await room.history(query), limit))
    },
  })

function page(entries: readonly Entry[], limit: number): string {
  const oldest = entries[0]
  if (!oldest) return 'Nothing was said.'
  const more = entries.length === limit ? [`(older: before ${oldest.id})`] : []
  return [...more, ...timedLines(entries)].join('\n')
}

/** Entries as lines with their time. */
export const timedLines = (entries: readonly Entry[]): readonly string[] =>
  entries.map((entry) => `${time(entry.at)} ${entryLine(entry)}`)

const time = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')
