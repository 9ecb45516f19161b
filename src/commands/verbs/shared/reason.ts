import { oneLine } from '../../../chat/message-text.ts'
import { parseDuration } from '../../../lib/duration.ts'
import { takeWord } from '../../../lib/text/words.ts'
import { Misuse } from '../../command.ts'

const MAX_REASON_CHARS = 200

/** A reason on one line, empty where none was given. Throws `Refusal` where it is too long. */
export const reasonOf = (text = ''): string => oneLine(text, MAX_REASON_CHARS)

/** Milliseconds of `30s`, `10m`, `2h` or `7d`. Throws `Misuse`. */
export function durationOf(word: string): number {
  const ms = parseDuration(word)
  if (ms !== undefined) return ms
  throw new Misuse(noDuration(word))
}

const noDuration = (word: string): string =>
  `${word.slice(0, 40)} is no duration; write 30s, 10m, 2h or 7d, at most 3650d`

/**
 * `2h spam`: a duration, where there is one, and a reason. What begins with a digit is meant as a duration, `5min` too: taken for
 * a reason, it would last for ever. Throws `Misuse`.
 */
export function timeAndReason(text = ''): { readonly ms: number | undefined; readonly reason: string } {
  const { word, rest } = takeWord(text.trimStart())
  if (!/^[+-]?\p{Nd}/u.test(word)) return { ms: undefined, reason: reasonOf(text) }
  const ms = parseDuration(word)
  if (ms === undefined) throw new Misuse(`${noDuration(word)}. A reason begins with another word`)
  return { ms, reason: reasonOf(rest) }
}
