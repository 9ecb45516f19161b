import type { Span } from '../../base/text/styled.ts'
import { type Align, SAMPLE_ROWS, type Table, type UnitBody } from '../markdown/blocks.ts'
import { mostCells } from './cells.ts'
import { cellsOf, inBold, paintSpans, textOf, withMarks, wrapSpans } from './spans.ts'
import { createMemo, type Theme } from './theme.ts'

type Row = Extract<UnitBody, { readonly type: 'row' }>

const BETWEEN = '  '
/** If a column would be narrower than this or than its longest word, each row is a list of its cells. */
const LEAST_CELLS = 6

export function tableRow(row: Row, width: number, theme: Theme): readonly string[] {
  const widths = once(row.table, `${theme.id} ${width}`, () => columnWidths(row.table, width, theme))
  if (!widths) return row.isHead ? [] : recordRows(row, width, theme)
  const cells = widths.map((cells, column) => wrapSpans(read(row, column, theme), cells, cells))
  const height = Math.max(1, ...cells.map((lines) => lines.length))
  const lines = Array.from({ length: height }, (_, line) =>
    joinCells(
      cells.map((rows) => rows[line] ?? []),
      widths,
      row.table.aligns,
    ),
  )
  return lines.map((line) => paintSpans(row.isHead ? underline(line) : line, theme))
}

function read(
  { cells, isHead }: Pick<Row, 'cells' | 'isHead'>,
  column: number,
  theme: Theme,
): readonly Span[] {
  const text = withMarks(cells[column]?.() ?? [], theme)
  return isHead ? inBold(text) : text
}

const once = createMemo<readonly number[] | undefined>()

function columnWidths({ head, sample }: Table, width: number, theme: Theme): readonly number[] | undefined {
  const columns = head.map((_, column) =>
    [head, ...sample].map((cells) => withMarks(cells[column]?.() ?? [], theme)),
  )
  const natural = columns.map((cells) => Math.max(1, ...cells.map(cellsOf)))
  const least = columns.map((cells, column) =>
    Math.max(Math.min(natural[column] ?? 1, LEAST_CELLS), ...cells.map(longestWord)),
  )
  const free = width - BETWEEN.length * (natural.length - 1)
  const widths = widthsWithin(free, natural, least)
  return widths && sample.length >= SAMPLE_ROWS ? widenColumns(widths, free) : widths
}

/** Narrows the widest columns first. Returns undefined if not even the `least` widths fit. */
function widthsWithin(
  free: number,
  natural: readonly number[],
  least: readonly number[],
): readonly number[] | undefined {
  if (sum(least) > free) return undefined
  for (let cap = Math.min(free, Math.max(...natural)); cap > 0; cap -= 1) {
    const widths = natural.map((cells, column) => Math.max(least[column] ?? 1, Math.min(cells, cap)))
    if (sum(widths) <= free) return widths
  }
  return least
}

const longestWord = (cell: readonly Span[]): number =>
  Math.max(0, ...textOf(cell).split(BREAKS).map(mostCells))

/** Rows break at spaces, after slashes, and before any character of these scripts. */
const BREAKS = /\s+|(?<=\/)|(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])/u

function widenColumns(widths: readonly number[], free: number): readonly number[] {
  const share = Math.floor((free - sum(widths)) / widths.length)
  return widths.map((cells) => cells + Math.min(share, MIN_SPARE + Math.floor(cells / 4)))
}

const MIN_SPARE = 2

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

function joinCells(
  cells: readonly (readonly Span[])[],
  widths: readonly number[],
  aligns: readonly Align[],
): readonly Span[] {
  const last = cells.findLastIndex((cell) => cell.length > 0)
  return cells.slice(0, last + 1).flatMap((cell, column) => {
    const missing = Math.max(0, (widths[column] ?? 0) - mostCells(textOf(cell)))
    const before = aligns[column] === 'right' ? missing : aligns[column] === 'center' ? missing >> 1 : 0
    const after = column === last ? 0 : missing - before + BETWEEN.length
    return [...blanks(before), ...cell, ...blanks(after)]
  })
}

const blanks = (count: number): readonly Span[] => (count === 0 ? [] : [{ text: ' '.repeat(count) }])

/** The underline separates the heads from the rows. */
const underline = (line: readonly Span[]): readonly Span[] => [
  { text: textOf(line), strong: true, underline: true },
]

function recordRows(row: Row, width: number, theme: Theme): readonly string[] {
  return row.table.head.flatMap((head, column) => {
    const name = inBold(withMarks(head(), theme))
    const cell = read(row, column, theme)
    if (textOf(cell) === '') return []
    const label = textOf(name) === '' ? [] : [...name, { text: ': ' }]
    const indent = column === 0 ? '' : BETWEEN
    const free = Math.max(1, width - BETWEEN.length)
    return wrapSpans([...label, ...cell], free, Math.max(1, free - BETWEEN.length)).map(
      (line, index) => indent + (index === 0 ? '' : BETWEEN) + paintSpans(line, theme),
    )
  })
}
