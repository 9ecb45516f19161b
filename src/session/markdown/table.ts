import type { MarkdownIt, Token } from 'markdown-it'
import { readInline } from './inline.ts'
import type { Align, Cell, Leaf, Table, UnitBody } from './blocks.ts'

/** By so many rows the widths of columns are chosen; the rows after them are drawn as they come. */
export const SAMPLE_ROWS = 8

interface ReadTable {
  readonly from: number
  readonly to: number
  readonly bodies: readonly UnitBody[]
  readonly rest: Pick<Leaf, 'finished' | 'goOn'>
}

interface ReadRow {
  readonly line: number
  readonly cells: string[]
}

/** Reads the tokens of tables. */
export function createTableReader(parser: MarkdownIt, lines: readonly string[]) {
  let rows: ReadRow[] | undefined
  let aligns: Align[] = []
  let range: readonly [number, number] = [0, 0]
  let read: ReadTable | undefined

  return {
    /** True for a token of a table. */
    take(token: Token): boolean {
      read = undefined
      if (token.type === 'table_open') {
        rows = []
        aligns = []
        range = token.map ?? [0, lines.length]
      }
      if (!rows) return false
      if (token.type === 'tr_open') rows.push({ line: token.map?.[0] ?? range[0], cells: [] })
      if (token.type === 'th_open') aligns.push(alignOf(token))
      if (token.type === 'inline') rows.at(-1)?.cells.push(token.content)
      if (token.type === 'table_close') {
        const cells = rows.map((row) =>
          withExtra(row, aligns.length, lines).map((one) => cellOf(one, parser)),
        )
        read = tableOf(cells, aligns, range, lines)
        rows = undefined
      }
      return true
    },
    /** The table that the last token ended. */
    done: () => read,
  }
}

function tableOf(
  [head = [], ...rows]: readonly (readonly Cell[])[],
  aligns: readonly Align[],
  [from, to]: readonly [number, number],
  lines: readonly string[],
): ReadTable {
  const table: Table = { aligns, head, sample: rows.slice(0, SAMPLE_ROWS) }
  const bodies = [
    { type: 'row' as const, table, cells: head, isHead: true },
    ...rows.map((cells) => ({ type: 'row' as const, table, cells, isHead: false })),
  ]
  if (rows.length < SAMPLE_ROWS) return { from, to, bodies, rest: { finished: 0 } }
  const before = lines.slice(from, from + 2 + SAMPLE_ROWS).join('\n')
  return { from, to, bodies, rest: { finished: bodies.length, goOn: { before, units: 1 + SAMPLE_ROWS } } }
}

/** The parser leaves out cells that have no head. They stand behind the last one that has. */
function withExtra({ line, cells }: ReadRow, columns: number, lines: readonly string[]): readonly string[] {
  const parts = (lines[line] ?? '')
    .replace(BEFORE_CELLS, '')
    .replace(/\|?\s*$/, '')
    .split(/(?<!\\)\|/)
  const extra = parts.slice(columns).join('|').trim()
  return extra === '' ? cells : [...cells.slice(0, -1), `${cells.at(-1) ?? ''} | ${extra}`]
}

/** The marks of quotes and items, and the first bar. */
const BEFORE_CELLS = /^(?:\s*(?:>|[-*+]\s|\d{1,9}[.)]\s))*\s*\|?/

function alignOf(token: Token): Align {
  const style = String(token.attrGet('style') ?? '')
  if (style.endsWith('right')) return 'right'
  return style.endsWith('center') ? 'center' : 'left'
}

/** A cell is one line. */
function cellOf(content: string, parser: MarkdownIt): Cell {
  let known: ReturnType<Cell> | undefined
  return () => (known ??= readInline(content, parser))
}
