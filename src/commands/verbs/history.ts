import type { Chat } from '../../chat/chat.ts'
import { entryLine } from '../../chat/entry-text.ts'
import { entryJson } from '../../chat/entry-json.ts'
import type { Entry, EntryId } from '../../chat/entry.ts'
import { UsageError } from '../../chat/errors.ts'
import { safeJson } from '../../lib/safe-json.ts'
import type { Caller } from '../caller.ts'
import { defineCommand, JSON_FLAG, type Command } from '../define.ts'
import { pagesOf } from './shared/log-pages.ts'

/** Entries that are shown where nobody says how many, and at most. */
const USUAL_ENTRIES = 50
const MAX_ENTRIES = 1_000

const COUNT_FLAG = {
  name: 'n',
  value: 'N',
  about: `how many entries: 1 to ${MAX_ENTRIES}, usually ${USUAL_ENTRIES}`,
} as const

export const historyCommand = (chat: Pick<Chat, 'history'>): Command =>
  defineCommand({
    name: 'history',
    summary: 'what was said here, oldest first; --before ID goes further back',
    room: 'here',
    flags: [
      COUNT_FLAG,
      { name: 'before', about: 'only what is older than this entry', value: 'ID' },
      JSON_FLAG,
    ],
    example: '-n 20',
    async run(context) {
      const { room, flags } = context
      const before = entryId(flags.before)
      const pages = pagesOf((query) => chat.history(room, query), count(flags.n), before)
      for await (const page of pages) {
        await print(page, flags.json, context)
        if (context.signal.aborted) return
      }
    },
  })

export const searchCommand = (chat: Pick<Chat, 'history'>): Command =>
  defineCommand({
    name: 'search',
    summary: 'the newest lines here that have all these words',
    room: 'here',
    flags: [COUNT_FLAG, JSON_FLAG],
    arguments: [{ name: 'words', about: 'in any order', takes: 'rest' }],
    example: '-n 5 build green',
    async run(context) {
      const { room, args, flags, out } = context
      const words = args.words.split(/\s+/).filter((word) => word !== '')
      const pages = pagesOf((query) => chat.history(room, { ...query, words }), count(flags.n))
      let found = 0
      for await (const page of pages) {
        found += page.length
        await print(page, flags.json, context)
        if (context.signal.aborted) return
      }
      if (found === 0 && !flags.json) out.line(`nothing here has ${words.join(' and ')}`)
    },
  })

/** A ULID, as `history --json` shows them: https://github.com/ulid/spec. */
function entryId(word: string | undefined): EntryId | undefined {
  if (word === undefined || /^[0-9A-HJKMNP-TV-Z]{26}$/.test(word)) return word as EntryId | undefined
  throw new UsageError(
    `${word.slice(0, 40)} is no entry's id; history --json shows them`,
    'history ROOM --before ID',
  )
}

function count(word: string | undefined): number {
  if (word === undefined) return USUAL_ENTRIES
  const number = /^\d{1,6}$/.test(word) ? Number(word) : 0
  if (number >= 1 && number <= MAX_ENTRIES) return number
  throw new UsageError(
    `-n takes a whole number from 1 to ${MAX_ENTRIES}, such as -n ${USUAL_ENTRIES}`,
    'history ROOM -n 20',
  )
}

/** Prints a page, and waits until there is room for the next one. */
async function print(page: readonly Entry[], asJson: boolean, { out }: Caller): Promise<void> {
  for (const entry of page) {
    out.line(asJson ? safeJson(entryJson(entry)) : `${time(entry.at)} ${entryLine(entry)}`)
  }
  await out.ready?.()
}

/** `2026-11-21 09:41`, UTC: the same on every reader's side. */
const time = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')
