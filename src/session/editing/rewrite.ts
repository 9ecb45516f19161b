import { nextBoundary, previousBoundary } from '../../lib/text/graphemes.ts'
import { type Draft, moveTo } from './draft.ts'
import { wordEnd, wordStart } from './words.ts'

/** The same draft with what is between two indices replaced; the cursor stands behind it. */
const replace = ({ text }: Draft, from: number, to: number, by: string): Draft => ({
  text: text.slice(0, from) + by + text.slice(to),
  cursor: from + by.length,
})

/** Upper case, lower case, or a capital, from the cursor to the end of the word (`upcase-word` and its like). */
const WORD_CASES = {
  'upper-word': (word: string) => word.toUpperCase(),
  'lower-word': (word: string) => word.toLowerCase(),
  'capital-word': (word: string) =>
    word.toLowerCase().replace(/[\p{L}\p{N}]/u, (first) => first.toUpperCase()),
} as const

/** Some letters become two in the other case; what would be longer than `maxUnits` then stays as it is. */
export function changeCase(draft: Draft, how: keyof typeof WORD_CASES, maxUnits: number): Draft {
  const end = wordEnd(draft)
  const word = draft.text.slice(draft.cursor, end)
  const changed = replace(draft, draft.cursor, end, WORD_CASES[how](word))
  return changed.text.length <= maxUnits ? changed : moveTo(draft, end)
}

/** Takes the character before the cursor over the one at it; at the end, the last two change places. Not across lines. */
export function transpose(draft: Draft): Draft {
  const { text, cursor } = draft
  const middle = cursor === text.length ? previousBoundary(text, cursor) : cursor
  const [from, to] = [previousBoundary(text, middle), nextBoundary(text, middle)]
  if (middle === 0 || middle === text.length || text.slice(from, to).includes('\n')) return draft
  return replace(draft, from, to, text.slice(middle, to) + text.slice(from, middle))
}

/** Takes the word before the cursor over the one behind it; at the end, the last two words change places. */
export function transposeWords(draft: Draft): Draft {
  const { text } = draft
  const secondEnd = wordEnd(draft)
  const second = wordStart(moveTo(draft, secondEnd))
  const first = wordStart(moveTo(draft, second))
  const firstEnd = wordEnd(moveTo(draft, first))
  if (first === second || firstEnd > second) return draft
  const words = text.slice(second, secondEnd) + text.slice(firstEnd, second) + text.slice(first, firstEnd)
  return replace(draft, first, secondEnd, words)
}
