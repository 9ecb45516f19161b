import type { Chat } from '../../chat/chat.ts'
import { entryLine } from '../../chat/entry-text.ts'
import { entryJson } from '../../chat/entry-json.ts'
import type { Entry, EntryId } from '../../chat/entry.ts'
import { UsageError } from '../../chat/errors.ts'
import { JSON_FLAG, type Command, type Output } from '../command.ts'

const USUAL = 50
const MOST = 1_000

export const historyCommand = (chat: Chat): Command => ({
  name: 'history',
  summary: 'what was said here, oldest first; --before ID goes further back',
  room: 'here',
  flags: [{ name: 'n', value: 'N' }, { name: 'before', value: 'ID' }, JSON_FLAG],
  async run({ room, flags, out }) {
    const before = entryId(flags['before'])
    const limit = count(flags['n'])
    print(await chat.history(room!, { limit, ...(before ? { before } : {}) }), flags['json'] === true, out)
  },
})

export const searchCommand = (chat: Chat): Command => ({
  name: 'search',
  summary: 'the newest lines here that have all these words',
  room: 'here',
  flags: [{ name: 'n', value: 'N' }, JSON_FLAG],
  parameters: [{ name: 'words', takes: 'rest' }],
  async run({ room, args, flags, out }) {
    const words = args['words']!.split(/\s+/).filter((word) => word !== '')
    const found = await chat.history(room!, { limit: count(flags['n']), words })
    if (found.length === 0 && !flags['json']) return out.line(`nothing here has ${words.join(' and ')}`)
    print(found, flags['json'] === true, out)
  },
})

/** A ULID, as `history --json` shows them: https://github.com/ulid/spec. */
function entryId(flag: string | true | undefined): EntryId | undefined {
  if (flag === undefined || /^[0-9A-HJKMNP-TV-Z]{26}$/.test(String(flag))) return flag as EntryId | undefined
  throw new UsageError(
    `${String(flag).slice(0, 40)} is no entry's id; history --json shows them`,
    'history ROOM --before ID',
  )
}

function count(flag: string | true | undefined): number {
  if (flag === undefined) return USUAL
  const number = /^\d{1,6}$/.test(String(flag)) ? Number(flag) : 0
  if (number < 1 || number > MOST) {
    throw new UsageError(
      `-n takes a whole number from 1 to ${MOST}, such as -n ${USUAL}`,
      'history ROOM -n 20',
    )
  }
  return number
}

function print(entries: readonly Entry[], asJson: boolean, out: Output): void {
  for (const entry of entries) {
    out.line(asJson ? JSON.stringify(entryJson(entry)) : `${time(entry.at)} ${entryLine(entry)}`)
  }
}

/** `2026-11-21 09:41`, UTC: the same on every reader's side. */
const time = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')
