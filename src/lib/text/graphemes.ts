const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The characters of a text as people count them (UAX #29). Joined they are the text. */
export const graphemes = (text: string): string[] =>
  /^[\n -~]*$/.test(text) ? text.split('') : Array.from(segmenter.segment(text), ({ segment }) => segment)

/** Far more UTF-16 units than any real character has. Its ends are looked for no further away, in a text of any length. */
const MAX_CHARACTER_UNITS = 512

/** The index, in UTF-16 units, of the character's beginning before `at`. */
export function previousBoundary(text: string, at: number): number {
  if (isAscii(text, at - 1) && isAscii(text, at - 2)) return Math.max(0, at - 1)
  const from = Math.max(0, at - MAX_CHARACTER_UNITS)
  const near = text.slice(from, at)
  return onCodePoint(text, from + (segmenter.segment(near).containing(near.length - 1)?.index ?? 0))
}

/** The index of the end of the character that begins at `at`. */
export function nextBoundary(text: string, at: number): number {
  if (isAscii(text, at) && isAscii(text, at + 1)) return Math.min(text.length, at + 1)
  const near = segmenter.segment(text.slice(at, at + MAX_CHARACTER_UNITS)).containing(0)
  return onCodePoint(text, at + (near?.segment.length ?? 0))
}

/** The beginning of the character that the unit at `index` belongs to; `index` itself where one begins. */
export function characterStart(text: string, index: number): number {
  const from = onCodePoint(text, Math.max(0, index - MAX_CHARACTER_UNITS))
  const around = text.slice(from, index + MAX_CHARACTER_UNITS)
  return from + (segmenter.segment(around).containing(index - from)?.index ?? index - from)
}

/** Beside another one, or at an end of the text, an ASCII character stands alone; CR LF does not come into drafts. */
const isAscii = (text: string, at: number): boolean =>
  at < 0 || at >= text.length || text.charCodeAt(at) < 0x80

/** The same index, or one less where that would split a surrogate pair. */
export function onCodePoint(text: string, at: number): number {
  const splits = isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at))
  return splits ? at - 1 : at
}

/** The beginning of a text, of at most so many UTF-16 units. No code point is cut. */
export const firstUnits = (text: string, units: number): string => text.slice(0, onCodePoint(text, units))

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
