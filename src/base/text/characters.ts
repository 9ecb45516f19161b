let segmenter: Intl.Segmenter | undefined

/** Splits into grapheme clusters (UAX #29). Creating the segmenter takes 16 ms, so the first text does it. */
export function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** The UTF-16 units around an index in which a character's boundaries are searched. */
export const MAX_CHARACTER_UNITS = 512

/** Returns the start of the character that contains the UTF-16 unit at `index`. */
export function characterAt(text: string, index: number): number {
  const from = codePointAt(text, Math.max(0, index - MAX_CHARACTER_UNITS))
  const around = text.slice(from, index + MAX_CHARACTER_UNITS)
  return from + (segmentsOf(around).containing(index - from)?.index ?? index - from)
}

/** Returns the end of the character that contains the UTF-16 unit at `index`. */
export function characterEnd(text: string, index: number): number {
  const from = characterAt(text, index)
  const around = text.slice(from, index + MAX_CHARACTER_UNITS)
  return from + (segmentsOf(around).containing(0)?.segment.length ?? 0)
}

/** Returns `index`, or `index - 1` inside a surrogate pair. */
export function codePointAt(text: string, index: number): number {
  const inside = /[\uD800-\uDBFF]/.test(text.charAt(index - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(index))
  return inside ? index - 1 : index
}

/** Returns at most `units` UTF-16 units, cut between characters. */
export const headOf = (text: string, units: number): string =>
  text.length <= units ? text : text.slice(0, characterAt(text, Math.max(0, units)))

/** UTF-16 units that never combine with each other: Latin, Greek, Cyrillic, signs, arrows, boxes, CJK. */
const NEVER_COMBINE =
  /^[\n -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2190-\u2bff\u3000-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff01-\uff9d]*$/

/** Splits a text into grapheme clusters, which joined equal the text. */
export const graphemes = (text: string): string[] =>
  NEVER_COMBINE.test(text) ? text.split('') : Array.from(segments(text))

/** UTF-16 units segmented at once, because V8 takes ten times as long for each character of a long text. */
const WINDOW_UNITS = 512

function* segments(text: string): Generator<string, void, void> {
  let units = WINDOW_UNITS
  for (let from = 0; from < text.length;) {
    const end = from + units < text.length ? codePointAt(text, from + units) : text.length
    const found = Array.from(segmentsOf(text.slice(from, end)), ({ segment }) => segment)
    // The last character may continue after the window.
    const whole = end < text.length ? found.slice(0, -1) : found
    yield* whole
    units = whole.length === 0 ? 2 * units : WINDOW_UNITS
    for (const { length } of whole) from += length
  }
}

/** Returns the start of the character before `at`, in UTF-16 units. */
export function previousBoundary(text: string, at: number): number {
  if (isAscii(text, at - 1) && isAscii(text, at - 2)) return Math.max(0, at - 1)
  const from = Math.max(0, at - MAX_CHARACTER_UNITS)
  const near = text.slice(from, at)
  return codePointAt(text, from + (segmentsOf(near).containing(near.length - 1)?.index ?? 0))
}

export function nextBoundary(text: string, at: number): number {
  if (isAscii(text, at) && isAscii(text, at + 1)) return Math.min(text.length, at + 1)
  const near = segmentsOf(text.slice(at, at + MAX_CHARACTER_UNITS)).containing(0)
  return codePointAt(text, at + (near?.segment.length ?? 0))
}

/** Two adjacent ASCII characters are always separate, because drafts contain no CR LF. */
const isAscii = (text: string, at: number): boolean =>
  at < 0 || at >= text.length || text.charCodeAt(at) < 0x80
