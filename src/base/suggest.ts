import { distance } from 'fastest-levenshtein'

/** Limit in UTF-16 units, because a comparison costs the product of the lengths. */
const MAX_WORD_UNITS = 64

/**
 * Returns the candidate that `word` probably means, ignoring case; undefined if none is near. Allows one typo
 * in up to four letters, two in up to eight, then one per three. The first of equal candidates wins.
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length === 0 || word.length > MAX_WORD_UNITS) return undefined
  const wanted = word.toLowerCase()
  let best: string | undefined
  let fewest = allowedSlips(wanted) + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= fewest) continue
    const slips = slipsBetween(wanted, candidate.toLowerCase())
    if (slips < fewest) [best, fewest] = [candidate, slips]
  }
  return best
}

/** Returns `; did you mean CANDIDATE?`, or an empty text if no candidate is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = closest(word, candidates)
  return near === undefined ? '' : `; did you mean ${near}?`
}

/** Sorts by distance to `word`, ignoring case. Compares only the first `MAX_WORD_UNITS` units. */
export function nearestFirst(word: string, candidates: readonly string[]): readonly string[] {
  const wanted = word.toLowerCase().slice(0, MAX_WORD_UNITS)
  const slips = new Map(
    candidates.map((one) => [one, distance(wanted, one.toLowerCase().slice(0, MAX_WORD_UNITS))]),
  )
  return candidates.toSorted((a, b) => (slips.get(a) ?? 0) - (slips.get(b) ?? 0))
}

/** In UTF-16 units. A word up to this length may have one typo: two would leave too little to compare. */
const SHORT_UNITS = 4

const slipsBetween = (word: string, candidate: string): number =>
  word.length <= SHORT_UNITS && isSwapped(word, candidate) ? 1 : distance(word, candidate)

/** True for two swapped letters, such as `qwne` for `qwen`, which are one typo in a short word. */
function isSwapped(word: string, candidate: string): boolean {
  const at = [...word].findIndex((letter, index) => letter !== candidate[index])
  const [first = '', second = ''] = word.slice(at)
  return at >= 0 && word.slice(0, at) + second + first + word.slice(at + 2) === candidate
}

const allowedSlips = (word: string): number =>
  word.length <= SHORT_UNITS ? 1 : Math.max(2, Math.floor(word.length / 3))
