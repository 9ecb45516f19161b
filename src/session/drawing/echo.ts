import { cleanText } from '../../lib/text/clean-text.ts'
import { codePointAt } from '../../lib/text/characters.ts'

/** Of a draft that is repeated no more than its end is written, in UTF-16 units. */
const MAX_REPEATED_UNITS = 1_000

/**
 * What to write after the draft `from` was echoed, so that `to` stands there; line ends are LF. Only ASCII is taken back,
 * a backspace for each character: the width of other text is not sure.
 */
export function echoChange(from: string, to: string): string {
  if (to.startsWith(from)) return cleanText(endOf(to.slice(from.length)))
  const taken = from.slice(to.length)
  const isShort = taken.length <= MAX_REPEATED_UNITS && /^[ -~]*$/.test(taken)
  if (isShort && from.startsWith(to)) return '\b \b'.repeat(taken.length)
  return `\n${cleanText(endOf(to))}`
}

const endOf = (text: string): string =>
  text.slice(codePointAt(text, Math.max(0, text.length - MAX_REPEATED_UNITS)))
