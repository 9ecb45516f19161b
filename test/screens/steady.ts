import type { ScreenCell, ScreenRow } from './screen.ts'

/** What differs each time that a session is played, and what stands there in pictures. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  // The number of lines is known only to a screen that draws the block at its end.
  [/── code, \d+ lines/gu, '── code'],
  [/\b(?:\d+m )?\d+(?:\.\d+)?m?s\b/gu, '0.8s'],
  [/\b\d\d:\d\d(?::\d\d)?\b/gu, '09:41'],
  [/\b20\d\d-\d\d-\d\d\b/gu, '2026-11-20'],
  [/\b01[0-9A-HJKMNP-TV-Z]{24}\b/gu, '01KAFW2Y7Q3V8M5T9R4C6B1D0E'],
]

/** A screen without what differs each time: so the same sessions give the same pictures. */
export const steadyScreen = (rows: readonly ScreenRow[]): readonly ScreenRow[] => rows.map(steadyRow)

function steadyRow(row: ScreenRow): ScreenRow {
  const width = widthOf(row)
  const changed = CHANGING.reduce((cells, [pattern, text]) => replaced(cells, pattern, text), row)
  return fitted(changed, width)
}

function replaced(row: ScreenRow, pattern: RegExp, text: string): ScreenRow {
  // A cell with several code units counts as one letter here, and as none of the patterns.
  const line = row.map((cell) => (cell.text.length === 1 ? cell.text : '\uFFFC')).join('')
  const cells: ScreenCell[] = []
  let at = 0
  for (const { index, 0: found } of line.matchAll(pattern)) {
    cells.push(...row.slice(at, index), ...written(text, row[index]))
    at = index + found.length
  }
  return [...cells, ...row.slice(at)]
}

const written = (text: string, like: ScreenCell | undefined): readonly ScreenCell[] =>
  like ? [...text].map((character) => ({ text: character, width: 1, look: like.look })) : []

const widthOf = (row: ScreenRow): number => row.reduce((sum, cell) => sum + cell.width, 0)

/** As wide as it was: blanks at its end come or go. */
function fitted(row: ScreenRow, width: number): ScreenRow {
  const cells = [...row]
  while (widthOf(cells) > width) cells.pop()
  const missing = width - widthOf(cells)
  const look = cells.at(-1)?.look
  return look ? [...cells, ...Array.from({ length: missing }, () => ({ text: ' ', width: 1, look }))] : cells
}
