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

function mostCellsOf(character: string): number {
  const together = stringWidth(character)
  const apart = Array.from(character).reduce((sum, point) => sum + mostCellsOfPoint(point), 0)
  return Math.max(together, apart)
}

/** By the Unicode of today, and by that of 2007, which xterm.js and other terminals still follow. */
const mostCellsOfPoint = (point: string): number =>
  Math.max(stringWidth(point), wcwidth(point.codePointAt(0) ?? 0))
