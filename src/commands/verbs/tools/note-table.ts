import { brokenInto } from '../shared/share-table.ts'

/** A row of a table: its cells, and what there is to say of it. */
export interface NoteRow {
  readonly cells: readonly string[]
  readonly note: string
}

const GAP = '  '
const INDENT = '    '

/**
 * For each row its lines, of at most `width` cells: the row's cells in columns, numbers to the right, then the note, below
 * where there is no space for it. Where the columns themselves are too wide, each row has its first cell alone in a
 * line, and the rest below.
 */
export function noteTable(rows: readonly NoteRow[], width: number): readonly (readonly string[])[] {
  const columns = (rows[0]?.cells ?? []).map((_, at) => columnOf(rows.map(({ cells }) => cells[at] ?? '')))
  const total = columns.reduce((sum, { size }) => sum + size, 0) + GAP.length * (columns.length - 1)
  return rows.map(({ cells, note }) => {
    if (total > width) return [cells[0] ?? '', ...below([...cells.slice(1), note], width)]
    const padded = cells.map((cell, at) => columns[at]?.pad(cell) ?? cell).join(GAP)
    const fits = padded.length + GAP.length + note.length <= width
    return fits ? [[padded, note].join(GAP).trimEnd()] : [padded.trimEnd(), ...below([note], width)]
  })
}

function columnOf(cells: readonly string[]) {
  const size = Math.max(...cells.map(({ length }) => length))
  const isNumber = cells.every((cell) => cell === '' || /^\d/.test(cell))
  return { size, pad: (cell: string): string => (isNumber ? cell.padStart(size) : cell.padEnd(size)) }
}

function below(texts: readonly string[], width: number): readonly string[] {
  const text = texts.filter((one) => one !== '').join(GAP)
  return text === '' ? [] : brokenInto(text, width - INDENT.length).map((line) => INDENT + line)
}
