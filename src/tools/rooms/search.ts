import { z } from 'zod'
import { spoken, timedLines } from './history.ts'
import { defineTool, failed, ok, type Tool } from '../tool.ts'
import { inRoom, roomParameter, roomParameterText, type WorldParts } from './world.ts'

/** Words beyond this find nothing more. */
const mostWords = 16

/** What was said long ago. */
export const searchTool = (parts: WorldParts): Tool =>
  defineTool({
    id: 'sshawl_search',
    title: 'Search History',
    description:
      'Finds the newest lines of a room that have all the given words, in any order and case, oldest first, each ' +
      'with its time (UTC).',
    access: 'read',
    input: z.strictObject({
      words: z.string().max(400),
      limit: z.int().min(1).max(100).default(20),
      room: roomParameter,
    }),
    parameters: {
      words: 'Words that a line must have, separated by spaces; author names count as well.',
      limit: 'How many lines, 1 to 100 (default 20).',
      room: roomParameterText,
    },
    run: async ({ words: text, limit, room: name }, context) =>
      inRoom('sshawl_search', parts, context, name, async (room) => {
        const words = [...new Set(text.split(/\s+/u).filter((word) => word !== ''))].slice(0, mostWords)
        if (words.length === 0) return failed('sshawl_search: words is empty; give a word to look for')
        const found = await parts.chat.history(room, { limit, words, kinds: spoken, withoutThreads: true })
        return ok(timedLines(found).join('\n') || `Nothing has ${words.join(' and ')}.`)
      }),
  })
