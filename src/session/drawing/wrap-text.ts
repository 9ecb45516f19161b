import { mostCells } from './cells.ts'
import { rowRanges } from './row-ranges.ts'

/** Stands before every row but the first of an entry, so that no text can pose as another speaker. */
export const HANG = '  '

/**
 * Breaks text into rows of at most `width` cells, at spaces where it can, else between characters. Every
 * row but the first begins with `hang`, so that no row of a text looks like the beginning of another. Tabs
 * become spaces. Never throws; takes linear time.
 */
export function wrapText(text: string, width: number, hang: string): string[] {
  const hanging = Math.max(1, width - mostCells(hang))
  const rows: string[] = []
  for (const line of text.replaceAll('\t', '    ').split('\n')) {
    const ranges = rowRanges(line, rows.length === 0 ? width : hanging, hanging)
    const isWhole = ranges.length === 1 && ranges[0]?.[1] === line.length
    if (isWhole) rows.push(line)
    else for (const [from, to] of ranges) rows.push(line.slice(from, to).trimEnd())
  }
  return rows.map((row, index) => (index === 0 || row === '' ? row : hang + row))
}
