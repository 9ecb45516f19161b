import { mostCells } from './cells.ts'
import { graphemes } from '../../lib/text/graphemes.ts'

const FIRST_MARK = '  | '
const NEXT_MARK = '  : '

/**
 * A line that people judge before it runs, as rows of at most `width` cells behind a mark each: `|` where the line
 * begins, `:` where it goes on. No blank of it is lost, and no row of it can be taken for what the room says.
 */
export function quoteRows(line: string, width: number): string[] {
  const free = Math.max(1, width - FIRST_MARK.length)
  const rows = ['']
  let left = free
  for (const character of graphemes(line.replaceAll('\t', '    '))) {
    const cells = mostCells(character)
    if (cells > left && rows.at(-1) !== '') {
      rows.push('')
      left = free
    }
    rows[rows.length - 1] += character
    left -= cells
  }
  return rows.map((row, index) => (index === 0 ? FIRST_MARK : NEXT_MARK) + row)
}
