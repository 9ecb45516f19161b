import type { Chat } from '../../chat/chat.ts'
import { entryLine } from '../../chat/entry-text.ts'
import { entryJson } from '../../chat/entry-json.ts'
import type { Entry, EntryId } from '../../chat/entry.ts'
import { UsageError } from '../../chat/errors.ts'
import { safeJson } from '../../lib/safe-json.ts'
import type { Output } from '../caller.ts'
import { defineCommand, JSON_FLAG, type Command } from '../define.ts'

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
    async run({ room, flags, out }) {
      const before = entryId(flags.before)
      const limit = count(flags.n)
      print(await chat.history(room, { limit, ...(before ? { before } : {}) }), flags.json, out)
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
    async run({ room, args, flags, out }) {
      const words = args.words.split(/\s+/).filter((word) => word !== '')
      const found = await chat.history(room, { limit: count(flags.n), words })
      if (found.length === 0 && !flags.json) return out.line(`nothing here has ${words.join(' and ')}`)
      print(found, flags.json, out)
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

function print(entries: readonly Entry[], asJson: boolean, out: Output): void {
  for (const entry of entries) {
    out.line(asJson ? safeJson(entryJson(entry)) : `${time(entry.at)} ${entryLine(entry)}`)
  }
}

/** `2026-11-21 09:41`, UTC: the same on every reader's side. */
const time = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')
