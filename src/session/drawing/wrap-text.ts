import { mostCells } from './cells.ts'
import { graphemes } from '../../lib/text/graphemes.ts'

/**
 * Breaks text into rows of at most `width` cells, at spaces where it can, else between characters. Every
 * row but the first begins with `hang`, so that no row of a text looks like the beginning of another. Tabs
 * become spaces. Never throws; takes linear time.
 */
export function wrapText(text: string, width: number, hang: string): string[] {
  const hanging = Math.max(1, width - mostCells(hang))
  const rows: string[] = []
  for (const line of text.replaceAll('\t', '    ').split('\n')) {
    for (const row of wrapLine(line, rows.length === 0 ? width : hanging, hanging)) rows.push(row)
  }
  return rows.map((row, index) => (index === 0 || row === '' ? row : hang + row))
}

/** The first row has at most `first` cells and the others at most `later`. */
function wrapLine(line: string, first: number, later: number): string[] {
  if (mostCells(line) <= first) return [line]
  const rows = ['']
  let left = first
  const put = (piece: string, width: number): void => {
    if (width > left && rows.at(-1) !== '') {
      rows.push('')
      left = later
    }
    rows[rows.length - 1] += piece
    left -= width
  }
  for (const word of line.match(/ +|[^ ]+/g) ?? []) {
    const width = mostCells(word)
    if (width > left && word.startsWith(' ')) left = 0
    else if (width <= Math.max(left, later)) put(word, width)
    else for (const character of graphemes(word)) put(character, mostCells(character))
  }
  return rows.map((row) => row.trimEnd())
}
