import { distance } from 'fastest-levenshtein'

/** Longer words are no typing slips, and comparing them costs the product of the lengths. In UTF-16 units. */
const MAX_WORD_UNITS = 64

/**
 * The candidate that was probably meant by `word`, without regard to case: the one with the fewest slips of at
 * most one in a word of up to four letters, two in one of up to eight, then one in each three letters. Two letters in
 * each other's place are one slip in a short word. Of equals the earlier one; undefined if nothing is near.
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

/** `; did you mean CANDIDATE?`; empty if no candidate is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = closest(word, candidates)
  return near === undefined ? '' : `; did you mean ${near}?`
}

/**
 * Candidates by how near they are to `word`, without regard to case: of each the fewest letters to change. Equal ones stay in
 * their order. Only the first letters of long words are looked at.
 */
export function nearestFirst(word: string, candidates: readonly string[]): readonly string[] {
  const wanted = word.toLowerCase().slice(0, MAX_WORD_UNITS)
  const slips = new Map(
    candidates.map((one) => [one, distance(wanted, one.toLowerCase().slice(0, MAX_WORD_UNITS))]),
  )
  return candidates.toSorted((a, b) => (slips.get(a) ?? 0) - (slips.get(b) ?? 0))
}

/** In a word of so many letters, two slips leave too little of it to guess by. In UTF-16 units. */
const SHORT_UNITS = 4

const slipsBetween = (word: string, candidate: string): number =>
  word.length <= SHORT_UNITS && isSwapped(word, candidate) ? 1 : distance(word, candidate)

/** `qwne` for `qwen` */
function isSwapped(word: string, candidate: string): boolean {
  const at = [...word].findIndex((letter, index) => letter !== candidate[index])
  const [first = '', second = ''] = word.slice(at)
  return at >= 0 && word.slice(0, at) + second + first + word.slice(at + 2) === candidate
}

const allowedSlips = (word: string): number =>
  word.length <= SHORT_UNITS ? 1 : Math.max(2, Math.floor(word.length / 3))
