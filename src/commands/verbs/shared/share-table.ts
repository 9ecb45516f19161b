import { percentOf } from '../../../prompt/shown/shares.ts'

/** A line of the table: who has so many tokens, and what there is to say of it. */
export interface ShareRow {
  readonly name: string
  readonly tokens: number
  readonly place?: string
  readonly priority?: number
  readonly note: string
  /** True for a note in whose place `…` stands where there is no space for all such notes. */
  readonly isHint?: true
}

/** The rows of a table as texts of at most so many cells; the first has the heads. */
export interface ShareTable {
  readonly head: string
  /** For each row its line, then lines that it needs below, indented. */
  readonly rows: readonly (readonly [line: string, ...below: string[]])[]
}

const GAP = '  '
const INDENT = '    '
/** A longer note stands below its line rather than take a column away. */
const USUAL_NOTE = 24

/** Of the notes; the first that there is space for. */
const NOTE_HEADS = ['what became of it', 'note'] as const
const MORE = '…'

interface Column {
  readonly head: string
  readonly isText?: true
  of(row: ShareRow): string
}

/** In the order in which they stand; a narrow terminal loses the last ones first. */
const columnsFor = (target: number): readonly Column[] => [
  { head: 'part', isText: true, of: ({ name }) => name },
  { head: 'tokens', of: ({ tokens }) => String(tokens) },
  { head: 'share', of: ({ tokens }) => percentOf(tokens, target) },
  { head: 'place', isText: true, of: ({ place = '' }) => place },
  { head: 'priority', of: ({ priority }) => (priority === undefined ? '' : String(priority)) },
]
const KEPT_COLUMNS = 3

/** Rows below each other: name, tokens, share of the target, and as much of the rest as `width` has cells for. */
export function shareTable(rows: readonly ShareRow[], target: number, width: number): ShareTable {
  const all = columnsFor(target).map((column) => ({ ...column, cells: cellsOf(column, rows) }))
  const used = all.filter((column) => rows.some((row) => column.of(row) !== ''))
  const wanted = Math.min(USUAL_NOTE, Math.max(0, ...rows.map(({ note }) => note.length)))
  let columns = used
  while (columns.length > KEPT_COLUMNS && widthOf(columns) + GAP.length + wanted > width)
    columns = columns.slice(0, -1)
  const space = width - widthOf(columns) - GAP.length
  const hintsFit = rows.every(({ isHint, note }) => !isHint || note.length <= space)
  const line = (texts: readonly string[], note: string): string =>
    [...columns.map(({ isText, cells }, at) => pad(texts[at] ?? '', cells, isText)), note].join(GAP).trimEnd()
  return {
    head: line(
      columns.map(({ head }) => head),
      NOTE_HEADS.find((head) => head.length <= space) ?? '',
    ),
    rows: rows.map((row) => {
      const texts = columns.map((column) => column.of(row))
      if (row.isHint ? hintsFit : row.note.length <= space) return [line(texts, row.note)]
      if (row.isHint) return [line(texts, row.note !== '' && space > 0 ? MORE : '')]
      return [line(texts, ''), ...brokenInto(row.note, width - INDENT.length).map((text) => INDENT + text)]
    }),
  }
}

const cellsOf = ({ head, of }: Column, rows: readonly ShareRow[]): number =>
  Math.max(head.length, ...rows.map((row) => of(row).length))

const widthOf = (columns: readonly { readonly cells: number }[]): number =>
  columns.reduce((sum, { cells }) => sum + cells, 0) + GAP.length * (columns.length - 1)

const pad = (text: string, cells: number, isText: true | undefined): string =>
  isText ? text.padEnd(cells) : text.padStart(cells)

/** A note at its blanks; a word that is longer than a line is left to who draws it. */
export function brokenInto(text: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
