import type { Chat } from '../../chat/chat.ts'
import type { EntryId } from '../../chat/entry.ts'
import { defineCommand, JSON_FLAG, type Command } from '../define.ts'
import { COUNT_FLAG, entryCount, printEntries } from './shared/entry-list.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { statsText } from './shared/log-stats.ts'
import { pagesOf, type ReadLog } from './shared/log-pages.ts'
import { Misuse } from '../usage.ts'

export const historyCommand = (chat: Pick<Chat, 'history' | 'stats'>): Command =>
  defineCommand({
    name: 'history',
    summary: 'what was said here, oldest first; --before ID goes further back; stats: the log in numbers',
    room: 'here',
    flags: [
      COUNT_FLAG,
      { name: 'before', about: 'only what is older than this entry', value: 'ID' },
      JSON_FLAG,
    ],
    arguments: [
      {
        name: 'what',
        about: 'who recorded how much, tokens and calls by day',
        optional: true,
        oneOf: ['stats'],
      },
    ],
    example: '-n 20',
    async run({ room, args, flags, out, signal }) {
      if (args.what === 'stats') {
        await out.ready()
        const stats = await chat.stats(room)
        return out.line(flags.json ? safeJson({ room: room.name, ...stats }) : statsText(room.name, stats))
      }
      const before = entryId(flags.before)
      const count = entryCount(flags.n)
      const read: ReadLog = async (query) => {
        await out.ready()
        return await chat.history(room, query)
      }
      for await (const page of pagesOf(read, count, before)) {
        await printEntries(page, out, { asJson: flags.json })
        if (signal.aborted) return
      }
    },
  })

/** A ULID, as `history --json` shows them: https://github.com/ulid/spec. */
function entryId(word: string | undefined): EntryId | undefined {
  if (word === undefined || /^[0-9A-HJKMNP-TV-Z]{26}$/.test(word)) return word as EntryId | undefined
  throw new Misuse(`${word.slice(0, 40)} is no entry's id; history --json shows them`)
}
