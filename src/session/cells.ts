import stringWidth from 'string-width'
import { graphemes } from './graphemes.ts'

/**
 * The most cells that a terminal may give to a text. Terminals disagree about characters of several code
 * points (a family emoji takes two cells or six), and who counts too few lets the terminal break a row, and
 * what follows begin where a speaker's name would.
 */
export function mostCells(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  return graphemes(text).reduce((sum, character) => sum + mostCellsOf(character), 0)
}

function mostCellsOf(character: string): number {
  const together = stringWidth(character)
  const apart = Array.from(character).reduce((sum, point) => sum + stringWidth(point), 0)
  return Math.max(together, apart)
}
