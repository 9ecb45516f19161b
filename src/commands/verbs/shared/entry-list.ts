import { entryJson } from '../../../chat/entry-json.ts'
import { entryLine } from '../../../chat/entry-text.ts'
import type { Entry } from '../../../chat/entry.ts'
import { safeJson } from '../../../lib/safe-json.ts'
import { Misuse, type Output } from '../../command.ts'

/** Entries that are shown where nobody says how many, and at most. */
const USUAL_ENTRIES = 50
const MAX_ENTRIES = 1_000

/** How many entries a command shows. */
export const COUNT_FLAG = {
  name: 'n',
  value: 'N',
  about: `how many entries: 1 to ${MAX_ENTRIES}, usually ${USUAL_ENTRIES}`,
} as const

/** The value of that flag. Throws `Misuse`. */
export function entryCount(word: string | undefined): number {
  if (word === undefined) return USUAL_ENTRIES
  const number = /^\d{1,6}$/.test(word) ? Number(word) : 0
  if (number >= 1 && number <= MAX_ENTRIES) return number
  throw new Misuse(`-n takes a whole number from 1 to ${MAX_ENTRIES}, such as -n ${USUAL_ENTRIES}`)
}

/** How entries are shown. */
export interface EntryForm {
  readonly asJson: boolean
  /** Where they are of several rooms. */
  readonly withRooms?: boolean
}

/** Prints entries, each with its time, and waits until there is space for more. */
export async function printEntries(
  entries: readonly Entry[],
  out: Output,
  { asJson, withRooms }: EntryForm,
): Promise<void> {
  for (const entry of entries) {
    const room = withRooms ? `${entry.room} ` : ''
    out.line(asJson ? safeJson(entryJson(entry)) : `${time(entry.at)} ${room}${entryLine(entry)}`)
  }
  await out.ready()
}

/** What the time before an entry takes of a line, with the blank behind it. */
export const TIME_CELLS = 17

/** `2026-11-21 09:41`, UTC: the same on every reader's side. */
const time = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')
