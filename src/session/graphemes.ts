const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The characters of a text as people count them (UAX #29). Joined they are the text. */
export const graphemes = (text: string): string[] =>
  Array.from(segmenter.segment(text), ({ segment }) => segment)

/** Far more UTF-16 units than any real character has; limits the work at each key in a long draft. */
const MAX_CHARACTER_UNITS = 256

/** The index, in UTF-16 units, of the character's beginning before `at`. */
export function previousBoundary(text: string, at: number): number {
  const near = graphemes(text.slice(Math.max(0, at - MAX_CHARACTER_UNITS), at))
  return onCodePoint(text, at - (near.at(-1)?.length ?? 0))
}

/** The index of the end of the character that begins at `at`. */
export function nextBoundary(text: string, at: number): number {
  const near = graphemes(text.slice(at, at + MAX_CHARACTER_UNITS))
  return onCodePoint(text, at + (near[0]?.length ?? 0))
}

/** The same index, or one less where that would split a surrogate pair. */
export function onCodePoint(text: string, at: number): number {
  const splits = isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at))
  return splits ? at - 1 : at
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
