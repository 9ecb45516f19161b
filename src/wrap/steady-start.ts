import { fnv1a } from '../base/basics.ts'
import type { EntryText } from './entry-texts.ts'

/** The fraction of a conversation dropped so that it begins at the same entry for many turns. */
export const MAX_SHARE_GIVEN_UP = 0.25

const MINUTE_MS = 60_000
/** Of entries of the same minute, on average one in `ENTRIES_PER_START` may be the first. */
const ENTRIES_PER_START = 8

/**
 * Returns the index at which a conversation begins that has no space for `before`, the entry before these.
 * Only the times of an entry and its predecessor decide if it may be first, and its text if they are in the
 * same minute. So the beginning stays until that entry no longer fits, then about a quarter is dropped at
 * once, and a provider's cache stays valid in between.
 */
export function steadyStart(
  entries: readonly EntryText[],
  before: EntryText | undefined,
  costOf: (entry: EntryText) => number,
): number {
  const most = MAX_SHARE_GIVEN_UP * entries.reduce((sum, entry) => sum + costOf(entry), 0)
  const start = { index: 0, rank: 0 }
  let givenUp = 0
  for (const [index, entry] of entries.entries()) {
    if (givenUp > most) break
    const rank =
      levelBetween((entries[index - 1] ?? before)?.at, entry.at) +
      (fnv1a(entry.text) % ENTRIES_PER_START === 0 ? 0.5 : 0)
    if (rank > start.rank) Object.assign(start, { index, rank })
    givenUp += costOf(entry)
  }
  return start.index
}

/** Returns 1 + n for the largest 2^n minutes with a multiple between both times; 0 if there is none. */
function levelBetween(earlier = 0, later = 0): number {
  let level = 0
  let unit = MINUTE_MS
  for (; Math.floor(earlier / unit) !== Math.floor(later / unit); unit *= 2) level += 1
  return level
}
