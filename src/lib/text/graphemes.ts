import { codePointAt, MAX_CHARACTER_UNITS } from './characters.ts'

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The characters of a text as people count them (UAX #29). Joined they are the text. */
export const graphemes = (text: string): string[] =>
  /^[\n -~]*$/.test(text) ? text.split('') : Array.from(segmenter.segment(text), ({ segment }) => segment)

/** The index, in UTF-16 units, of the character's beginning before `at`. */
export function previousBoundary(text: string, at: number): number {
  if (isAscii(text, at - 1) && isAscii(text, at - 2)) return Math.max(0, at - 1)
  const from = Math.max(0, at - MAX_CHARACTER_UNITS)
  const near = text.slice(from, at)
  return codePointAt(text, from + (segmenter.segment(near).containing(near.length - 1)?.index ?? 0))
}

/** The index of the end of the character that begins at `at`. */
export function nextBoundary(text: string, at: number): number {
  if (isAscii(text, at) && isAscii(text, at + 1)) return Math.min(text.length, at + 1)
  const near = segmenter.segment(text.slice(at, at + MAX_CHARACTER_UNITS)).containing(0)
  return codePointAt(text, at + (near?.segment.length ?? 0))
}

/** Beside another one, or at an end of the text, an ASCII character stands alone; CR LF does not come into drafts. */
const isAscii = (text: string, at: number): boolean =>
  at < 0 || at >= text.length || text.charCodeAt(at) < 0x80
