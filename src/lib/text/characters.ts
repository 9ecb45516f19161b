let segmenter: Intl.Segmenter | undefined

/**
 * The characters (grapheme clusters, UAX #29) of a text. What finds them is made with the first text: that takes 16 ms, and
 * every process loads this file.
 */
export function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** The ends of a character are looked for at most so many UTF-16 units before and behind an index. */
export const MAX_CHARACTER_UNITS = 512

/**
 * The beginning of the character (grapheme cluster) that the UTF-16 unit at `index` belongs to; `index` itself where one
 * begins, and at the end of the text.
 */
export function characterAt(text: string, index: number): number {
  const from = codePointAt(text, Math.max(0, index - MAX_CHARACTER_UNITS))
  const around = text.slice(from, index + MAX_CHARACTER_UNITS)
  return from + (segmentsOf(around).containing(index - from)?.index ?? index - from)
}

/** The end of the character that the unit at `index` belongs to. */
export function characterEnd(text: string, index: number): number {
  const from = characterAt(text, index)
  const around = text.slice(from, index + MAX_CHARACTER_UNITS)
  return from + (segmentsOf(around).containing(0)?.segment.length ?? 0)
}

/** `index`, or one less where it stands inside a surrogate pair. */
export function codePointAt(text: string, index: number): number {
  const inside = /[\uD800-\uDBFF]/.test(text.charAt(index - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(index))
  return inside ? index - 1 : index
}

/** The beginning of a text, of at most so many UTF-16 units, that ends between characters. */
export const headOf = (text: string, units: number): string =>
  text.length <= units ? text : text.slice(0, characterAt(text, Math.max(0, units)))
