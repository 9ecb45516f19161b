import { mostCells } from './cells.ts'
import { graphemes } from './graphemes.ts'

const start = '  | '
const further = '  : '

/**
 * A line that people judge before it runs, as rows of at most `width` cells behind a mark each: `|` where the line
 * begins, `:` where it goes on. No blank of it is lost, and no row of it can be taken for words of the room.
 */
export function quoteRows(line: string, width: number): string[] {
  const room = Math.max(1, width - start.length)
  const rows = ['']
  let left = room
  for (const character of graphemes(line.replaceAll('\t', '    '))) {
    const cells = mostCells(character)
    if (cells > left && rows.at(-1) !== '') {
      rows.push('')
      left = room
    }
    rows[rows.length - 1] += character
    left -= cells
  }
  return rows.map((row, index) => (index === 0 ? start : further) + row)
}
