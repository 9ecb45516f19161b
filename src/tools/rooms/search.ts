import { z } from 'zod'
import { searchTerms, termsText } from '../../chat/search-terms.ts'
import { defineTool } from '../define-tool.ts'
import { SPOKEN_KINDS, timedLines } from './history.ts'
import { ok } from '../result.ts'
import type { Tool } from '../tool.ts'
import { roomOf, roomParameter, ROOM_PARAMETER_TEXT, type RoomToolParts } from './in-room.ts'

/** Finds what was said in a room. */
export const searchTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_search',
    title: 'Search History',
    description: 'Finds the newest lines of a room with all these words.',
    access: 'read',
    input: z.strictObject({
      words: z.string().max(400),
      limit: z.int().min(1).max(100).default(20),
      room: roomParameter,
    }),
    parameters: {
      words: 'Authors count, too.',
      limit: 'Default: 20.',
      room: ROOM_PARAMETER_TEXT,
    },
    run: async ({ words: text, limit, room: name }, context) => {
      const room = await roomOf(parts, context, name)
      const terms = searchTerms(text)
      const { entries, behind } = await parts.log.search({
        rooms: [room.name],
        limit,
        terms,
        kinds: SPOKEN_KINDS,
        withoutThreads: true,
      })
      const found = timedLines(entries).join('\n') || `Nothing has ${termsText(terms)}.`
      return ok(behind === undefined ? found : `${found}\n(The newest lines may be missing: ${behind}.)`)
    },
  })
