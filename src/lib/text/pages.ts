/** A piece of a text. Joined in order, the pages of a text are the text, whatever is in it. */
export type Page = string

/**
 * Cuts a text into pages of at most `size` UTF-16 units (at least 2). A page ends after a line where one ends in its
 * last quarter, else before the character (grapheme cluster) that would be cut. Only a character that is longer than
 * any in use is cut, and then never inside a code point. The empty text is one empty page.
 */
export function splitPages(text: string, size: number): readonly Page[] {
  const pages: Page[] = []
  let start = 0
  while (text.length - start > size) {
    const end = pageEnd(text, start, start + size)
    pages.push(text.slice(start, end))
    start = end
  }
  return [...pages, text.slice(start)]
}

function pageEnd(text: string, start: number, limit: number): number {
  const least = limit - Math.floor((limit - start) / 4)
  const line = text.slice(least, limit).lastIndexOf('\n')
  if (line !== -1) return least + line + 1
  const character = characterAt(text, limit)
  return character > least ? character : codePointAt(text, limit)
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The ends of a character are looked for at most so many UTF-16 units before and behind an index. */
const MAX_CHARACTER_UNITS = 512

/** The beginning of the character that the unit at `index` belongs to; `index` itself where one begins. */
function characterAt(text: string, index: number): number {
  const from = codePointAt(text, Math.max(0, index - MAX_CHARACTER_UNITS))
  const around = text.slice(from, index + MAX_CHARACTER_UNITS)
  return from + (characters.segment(around).containing(index - from)?.index ?? index - from)
}

/** `index`, or one less where it stands inside a surrogate pair. */
function codePointAt(text: string, index: number): number {
  const inside = /[\uD800-\uDBFF]/.test(text.charAt(index - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(index))
  return inside ? index - 1 : index
}
