import type { MarkdownIt, Token } from 'markdown-it'
import { cleanText } from '../../base/text/clean-text.ts'
import type { MarkdownTools } from './highlight.ts'
import type { Span } from '../../base/text/styled.ts'
import { readInline } from './inline.ts'
import { codePointAt } from '../../base/text/characters.ts'

export function readBlocks(lines: readonly string[], gapBefore: boolean, tools: MarkdownTools) {
  const tokens: Token[] = []
  tools.parser.block.parse(lines.join('\n'), tools.parser, {}, tokens)
  const leaves: Leaf[] = []
  const tops: { readonly leaf: number; readonly line: number }[] = []
  const containers = createContainers()
  let heading = false
  let tableEnd = -1
  let range: Token['map'] = null

  const gapAt = (line: number): boolean => (line === 0 ? gapBefore : /^[\s>]*$/.test(lines[line - 1] ?? ''))

  function add(from: number, to: number, bodies: readonly UnitBody[], rest: Partial<Leaf> = {}): void {
    const lead = containers.take()
    const later = { first: lead.later, later: lead.later }
    const units = bodies.map((body, index) =>
      index === 0 ? { gap: gapAt(from), lead, body } : { gap: false, lead: later, body },
    )
    leaves.push({ from, to, units, finished: units.length, isClosed: true, ...rest })
  }

  for (const [index, token] of tokens.entries()) {
    if (token.map) range = token.map
    if (isTop(token)) tops.push({ leaf: leaves.length, line: token.map?.[0] ?? 0 })
    const [from, to] = range ?? [0, lines.length]
    if (token.type === 'table_open') {
      tableEnd = tokens.findIndex(({ type }, at) => at > index && type === 'table_close')
      const table = readTable(tokens.slice(index, tableEnd), lines.slice(from, to), tools.parser)
      add(from, to, table.bodies, table.rest)
    }
    if (index <= tableEnd) continue
    switch (token.type) {
      case 'blockquote_open':
      case 'list_item_open':
        containers.open(token)
        break
      case 'list_item_close':
      case 'blockquote_close':
        // The mark of an empty item is shown.
        if (containers.isUnused())
          add(from, to, [textBody('', false, tools)], { isClosed: false, finished: 0 })
        containers.close()
        break
      case 'heading_open':
        heading = true
        break
      case 'inline':
        if (heading) add(from, to, [textBody(token.content, true, tools)])
        else addParagraph(from, to, token.content)
        heading = false
        break
      case 'hr':
        add(from, to, [{ type: 'rule' }])
        break
      case 'fence':
      case 'code_block':
        add(from, to, ...codeLeaf(token, to - from, tools))
    }
  }

  function addParagraph(from: number, to: number, content: string): void {
    const { pieces, finished } = paragraphPieces(content)
    const bodies = pieces.map((piece) => textBody(piece, false, tools))
    add(from, to, bodies, { finished, isClosed: false })
  }

  return { leaves: markClosed(leaves, lines), tops }
}

/** Returns the parts of a block of code that takes `height` lines, and what is known of its end. */
function codeLeaf(
  { type, info, content, markup }: Token,
  height: number,
  tools: MarkdownTools,
): readonly [bodies: readonly UnitBody[], rest: Partial<Leaf>] {
  const code = content.endsWith('\n') ? content.slice(0, -1) : content
  const count = content === '' ? 0 : code.split('\n').length
  const isFenced = type === 'fence'
  const isClosed = isFenced && height === count + 2
  const language = tools.highlight.languageOf(cleanText(info))
  const lines = codeBodies({ code, count, language, isFenced }, tools)
  if (!isFenced) return [lines, { isClosed }]
  const note: readonly UnitBody[] =
    info.trim() === language ? [] : [{ type: 'note', text: cleanText(info).trim() }]
  const bodies = [...note, FENCE_BEGIN, ...lines, FENCE_END]
  const continuation = { before: `${markup}${info}`, units: note.length + 1 }
  const open = { finished: bodies.length - 1, isFence: true, continuation } as const
  return [bodies, { isClosed, ...(!isClosed && open) }]
}

/** True if the token begins an outermost block, or an item of an outermost list. */
const isTop = ({ level, nesting, type }: Token): boolean =>
  level === 0 ? nesting >= 0 && !type.endsWith('_list_open') : level === 1 && type === 'list_item_open'

/** A block ends at the next block, most kinds also at an empty line. A line without a line break is open. */
function markClosed(leaves: readonly Leaf[], lines: readonly string[]): readonly Leaf[] {
  return leaves.map((leaf, index) => {
    if (index < leaves.length - 1) return { ...leaf, isClosed: true }
    const { to, finished, units } = leaf
    if (to >= lines.length && lines.at(-1) !== '') {
      // The end of an open fence comes after its last line, and its first line may turn out to be no fence.
      const open = !leaf.isFence ? 1 : to - leaf.from > 1 ? 2 : units.length
      return { ...leaf, isClosed: false, finished: Math.min(finished, units.length - open) }
    }
    return { ...leaf, isClosed: leaf.isClosed || (!leaf.isFence && to < lines.length - 1) }
  })
}

const textBody = (source: string, isHeading: boolean, { parser }: MarkdownTools): UnitBody => ({
  type: 'text',
  isHeading,
  read: () => readInline(source, parser),
})

interface Code {
  readonly code: string
  readonly count: number
  readonly language: string
  readonly isFenced: boolean
}

function codeBodies({ code, count, language, isFenced }: Code, { highlight }: MarkdownTools) {
  let known: ReturnType<MarkdownTools['highlight']['lines']> | undefined
  const read = (index: number): readonly Span[] => (known ??= highlight.lines(code, language))[index] ?? []
  return Array.from({ length: count }, (_, index): UnitBody => ({
    type: 'code',
    isFenced,
    read: () => read(index),
  }))
}

const FENCE_BEGIN: UnitBody = { type: 'fence', isEnd: false }
const FENCE_END: UnitBody = { type: 'fence', isEnd: true }

export const endsFence = (unit: Unit | undefined): boolean => unit?.body === FENCE_END

function createContainers() {
  const open: { readonly mark: string; readonly later: string; isUsed: boolean }[] = []
  return {
    open(token: Token): void {
      const isQuote = token.type === 'blockquote_open'
      const mark = isQuote ? '> ' : token.info === '' ? '- ' : `${token.info}${token.markup} `
      open.push({ mark, later: isQuote ? mark : ' '.repeat(mark.length), isUsed: isQuote })
    },
    close(): void {
      open.pop()
    },
    isUnused: () => open.at(-1)?.isUsed === false,
    /** Returns the marks for the next block. An item's mark is returned once. */
    take(): LinePrefixes {
      const first = open.map(({ mark, later, isUsed }) => (isUsed ? later : mark)).join('')
      for (const one of open) one.isUsed = true
      return { first, later: open.map(({ later }) => later).join('') }
    },
  }
}

/** A block that contains no other block. */
export interface Leaf {
  /** Line indexes. `to` is exclusive. */
  readonly from: number
  readonly to: number
  readonly units: readonly Unit[]
  readonly finished: number
  readonly isClosed: boolean
  /** Set for an open fence, which no empty line closes. */
  readonly isFence?: true
  readonly continuation?: Continuation
}

/** Lines to parse again before the rest of a cut block, and the number of their units. */
export interface Continuation {
  readonly before: string
  readonly units: number
}

/** The smallest part that is drawn by itself, such as a line of code. A finished unit never changes. */
export interface Unit {
  readonly gap: boolean
  readonly lead: LinePrefixes
  readonly body: UnitBody
}

/** The marks of lists and quotes before the first row and before later rows. */
export interface LinePrefixes {
  readonly first: string
  readonly later: string
}

export type UnitBody =
  | { readonly type: 'text'; readonly isHeading: boolean; readonly read: () => readonly Span[] }
  | { readonly type: 'code'; readonly isFenced: boolean; readonly read: () => readonly Span[] }
  /** The beginning or the end of code between fences. */
  | { readonly type: 'fence'; readonly isEnd: boolean }
  | { readonly type: 'rule' }
  | { readonly type: 'row'; readonly table: Table; readonly cells: readonly Cell[]; readonly isHead: boolean }
  /** A fence's info string, unless it is empty or only names a known language. */
  | { readonly type: 'note'; readonly text: string }

export type Cell = () => readonly Span[]

export interface Table {
  readonly aligns: readonly Align[]
  readonly head: readonly Cell[]
  readonly sample: readonly (readonly Cell[])[]
}

export type Align = 'left' | 'right' | 'center'

/** Number of rows that set the column widths. Later rows are drawn as they arrive. */
export const SAMPLE_ROWS = 8

/** `source`: the lines of the table. */
function readTable(tokens: readonly Token[], source: readonly string[], parser: MarkdownIt) {
  const aligns = tokens.filter(({ type }) => type === 'th_open').map(alignOf)
  const all: Cell[][] = []
  for (const { type, content } of tokens) {
    if (type === 'tr_open') all.push([])
    if (type === 'inline') all.at(-1)?.push(cellOf(content, parser))
  }
  const [head = [], ...rows] = all
  const table = { aligns, head, sample: rows.slice(0, SAMPLE_ROWS) }
  const bodies = [head, ...rows].map((cells, index) => ({
    type: 'row' as const,
    table,
    cells,
    isHead: index === 0,
  }))
  if (rows.length < SAMPLE_ROWS) return { bodies, rest: { finished: 0, isClosed: false } }
  const continuation = { before: source.slice(0, 2 + SAMPLE_ROWS).join('\n'), units: 1 + SAMPLE_ROWS }
  return { bodies, rest: { isClosed: false, continuation } }
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

/** A longer paragraph is drawn in pieces, so that its beginning is shown early. */
export const MAX_PIECE_UNITS = 800

function paragraphPieces(text: string) {
  const pieces: string[] = []
  const lastLine = text.lastIndexOf('\n') + 1
  let finished = 0
  let from = 0
  while (text.length - from > MAX_PIECE_UNITS) {
    const end = pieceEnd(text, from)
    pieces.push(text.slice(from, end))
    from = /\s/.test(text.charAt(end)) ? end + 1 : end
    // The last line may turn out to be the head of a table.
    if (from <= lastLine || !text.includes('|', lastLine)) finished = pieces.length
  }
  return { pieces: [...pieces, text.slice(from)], finished }
}

/** Returns the last line end in the piece, else its last blank, else its end. Skips the first quarter. */
function pieceEnd(text: string, from: number): number {
  const piece = text.slice(from, from + MAX_PIECE_UNITS)
  const least = MAX_PIECE_UNITS / 4
  const at = [piece.lastIndexOf('\n'), piece.search(/\s\S*$/)].find((end) => end > least)
  return at === undefined ? codePointAt(text, from + MAX_PIECE_UNITS) : from + at
}
