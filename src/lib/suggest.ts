import { distance } from 'fastest-levenshtein'

/** Longer words are no typing slips, and comparing them costs the product of the lengths. In UTF-16 units. */
const MAX_WORD_UNITS = 64

/**
 * The candidate that was probably meant by `word`, without regard to case: the one with the fewest slips of at
 * most one in a word of up to three letters, two in one of up to eight, then one in each three letters. Of
 * equals the earlier one; undefined if nothing is near.
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length === 0 || word.length > MAX_WORD_UNITS) return undefined
  const wanted = word.toLowerCase()
  let best: string | undefined
  let fewest = allowedSlips(wanted) + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= fewest) continue
    const slips = distance(wanted, candidate.toLowerCase())
    if (slips < fewest) [best, fewest] = [candidate, slips]
  }
  return best
}

const allowedSlips = (word: string): number =>
  word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3))
