import type { Chat } from '../chat/chat.ts'
import { entryLine } from '../chat/entry-text.ts'
import { entryJson } from '../chat/entry-json.ts'
import type { Entry, EntryId } from '../chat/entry.ts'
import { Refusal } from '../chat/errors.ts'
import { JSON_FLAG, type Command, type Output } from './command.ts'

const USUAL = 50
const MOST = 1_000

export const historyCommand = (chat: Chat): Command => ({
  name: 'history',
  summary: 'what was said here, oldest first; --before ID goes further back',
  room: 'here',
  flags: [{ name: 'n', value: 'N' }, { name: 'before', value: 'ID' }, JSON_FLAG],
  async run({ room, flags, out }) {
    const before = flags['before'] as EntryId | undefined
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

function count(flag: string | true | undefined): number {
  if (flag === undefined) return USUAL
  const number = Number(flag)
  if (!Number.isInteger(number) || number < 1 || number > MOST) {
    throw new Refusal(`-n takes a whole number from 1 to ${MOST}`)
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
