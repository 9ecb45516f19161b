import { fnv1a } from '../base/basics.ts'
import type { EntryText } from './entry-texts.ts'

/** Fraction of a conversation given up so that it begins at the same entry for many turns. */
export const MAX_SHARE_GIVEN_UP = 1 / 3

/**
 * Returns the index of the entry at which a conversation begins that has no space for `before`, the entry
 * before these. Only the times of an entry and of its predecessor decide if it may be first, and its text if
 * times are equal. So the conversation begins there until that entry no longer fits, then drops about a
 * quarter at once, and a provider's cache of it stays valid in between.
 */
export function steadyStart(
  entries: readonly EntryText[],
  before: EntryText | undefined,
  costOf: (entry: EntryText) => number,
): number {
  const most = MAX_SHARE_GIVEN_UP * entries.reduce((sum, entry) => sum + costOf(entry), 0)
  const start = { index: 0, rank: -1 }
  let givenUp = 0
  for (const [index, entry] of entries.entries()) {
    if (givenUp > most) break
    const rank = levelBetween((entries[index - 1] ?? before)?.at, entry.at) + fnv1a(entry.text) / 2 ** 32
    if (rank > start.rank) Object.assign(start, { index, rank })
    givenUp += costOf(entry)
  }
  return start.index
}

/** Returns the largest power of two that has a multiple between two times, as its exponent plus 1. */
function levelBetween(earlier = 0, later = 0): number {
  let level = 0
  for (let [a, b] = [earlier, later]; a !== b; level += 1) [a, b] = [Math.floor(a / 2), Math.floor(b / 2)]
  return level
}
