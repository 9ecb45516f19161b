import { wcwidth } from 'simple-wcswidth'
import stringWidth from 'string-width'
import { graphemes } from '../../lib/text/graphemes.ts'

/**
 * The most cells that a terminal may give to a text. Terminals disagree about characters of several code
 * points (a family emoji takes two cells or six) and about code points that are newer than they are (a mark of
 * 2008 takes none or one). If we count too few, the terminal breaks the row, and what follows begins where a
 * speaker's name would.
 */
export function mostCells(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  return graphemes(text).reduce((sum, character) => sum + mostCellsOf(character), 0)
}

/** What was measured: the libraries take microseconds for a character, and a text has few different ones. */
const measured = new Map<string, number>()
const MAX_MEASURED = 8_192
/** Longer characters are not kept. */
const MAX_KEPT_UNITS = 16

function mostCellsOf(character: string): number {
  const known = measured.get(character)
  if (known !== undefined) return known
  const cells = measure(character)
  if (measured.size >= MAX_MEASURED) measured.clear()
  if (character.length <= MAX_KEPT_UNITS) measured.set(character, cells)
  return cells
}

function measure(character: string): number {
  const together = stringWidth(character)
  const apart = Array.from(character).reduce((sum, point) => sum + mostCellsOfPoint(point), 0)
  return Math.max(together, apart)
}

/** By the Unicode of today, and by that of 2007, which xterm.js and other terminals still follow. */
const mostCellsOfPoint = (point: string): number =>
  Math.max(stringWidth(point), wcwidth(point.codePointAt(0) ?? 0))
