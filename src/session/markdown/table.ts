import type { MarkdownIt, Token } from 'markdown-it'
import { readInline } from './inline.ts'
import type { Align, Cell, Leaf, UnitBody } from './blocks.ts'

/** Rows by which the widths are chosen; later ones are drawn as they come. */
export const SAMPLE_ROWS = 8

interface ReadTable {
  readonly bodies: readonly UnitBody[]
  readonly rest: Pick<Leaf, 'finished' | 'isClosed' | 'goOn'>
}

/** `source`: the lines of the table. */
export function readTable(
  tokens: readonly Token[],
  source: readonly string[],
  parser: MarkdownIt,
): ReadTable {
  const aligns = tokens.filter(({ type }) => type === 'th_open').map(alignOf)
  const all: Cell[][] = []
  for (const { type, content } of tokens) {
    if (type === 'tr_open') all.push([])
    if (type === 'inline') all.at(-1)?.push(cellOf(content, parser))
  }
  const [head = [], ...rows] = all
  const table = { aligns, head, sample: rows.slice(0, SAMPLE_ROWS) }
  const bodies = [head, ...rows].map((cells, index) => ({
    ...{ type: 'row' as const, table, cells },
    isHead: index === 0,
  }))
  if (rows.length < SAMPLE_ROWS) return { bodies, rest: { finished: 0, isClosed: false } }
  const before = source.slice(0, 2 + SAMPLE_ROWS).join('\n')
  return {
    bodies,
    rest: { finished: bodies.length, isClosed: false, goOn: { before, units: 1 + SAMPLE_ROWS } },
  }
}

function alignOf(token: Token): Align {
  const style = String(token.attrGet('style') ?? '')
  if (style.endsWith('right')) return 'right'
  return style.endsWith('center') ? 'center' : 'left'
}

function cellOf(content: string, parser: MarkdownIt): Cell {
  let known: ReturnType<Cell> | undefined
  return () => (known ??= readInline(content, parser))
}
