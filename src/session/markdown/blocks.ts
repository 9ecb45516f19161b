import type { MarkdownIt, Token } from 'markdown-it'
import { cleanText } from '../../lib/text/clean-text.ts'
import type { Highlight } from './highlight.ts'
import { readInline } from './inline.ts'
import type { Blocks, Leaf, Top } from './leaf.ts'
import { paragraphPieces } from './paragraph-pieces.ts'
import { createTableReader } from './table.ts'
import type { Lead, UnitBody } from './unit.ts'

/** What Markdown is read with. */
export interface MarkdownTools {
  readonly parser: MarkdownIt
  readonly highlight: Highlight
}

/** Reads blocks. `lines` are those of the source; of what stands within a block nothing is read yet. */
export function readBlocks(lines: readonly string[], gapBefore: boolean, tools: MarkdownTools): Blocks {
  const tokens: Token[] = []
  tools.parser.block.parse(lines.join('\n'), tools.parser, {}, tokens)
  const leaves: Leaf[] = []
  const tops: Top[] = []
  const containers = createContainers()
  const table = createTableReader(tools.parser, lines)
  let heading = false
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

  for (const token of tokens) {
    if (token.map) range = token.map
    if (isTop(token)) tops.push({ leaf: leaves.length, line: token.map?.[0] ?? 0 })
    const [from, to] = range ?? [0, lines.length]
    if (table.take(token)) {
      const read = table.done()
      if (read) add(read.from, read.to, read.bodies, { ...read.rest, isClosed: false })
      continue
    }
    switch (token.type) {
      case 'blockquote_open':
      case 'list_item_open':
        containers.open(token)
        break
      case 'list_item_close':
        if (containers.isUnused())
          add(from, to, [textBody('', false, tools)], { isClosed: false, finished: 0 })
        containers.close()
        break
      case 'blockquote_close':
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
        addCode(from, to, token)
    }
  }

  function addParagraph(from: number, to: number, content: string): void {
    const { pieces, finished } = paragraphPieces(content)
    const bodies = pieces.map((piece) => textBody(piece, false, tools))
    add(from, to, bodies, { finished, isClosed: false })
  }

  function addCode(from: number, to: number, { type, info, content, markup }: Token): void {
    const code = content.endsWith('\n') ? content.slice(0, -1) : content
    const count = content === '' ? 0 : code.split('\n').length
    const isClosed = type === 'fence' && to - from === count + 2
    const language = tools.highlight.languageOf(cleanText(info))
    const note: readonly UnitBody[] =
      info.trim() === language ? [] : [{ type: 'note', text: cleanText(info).trim() }]
    const bodies = [...note, ...codeBodies(code, count, language, tools)]
    const goOn = { isFence: true as const, goOn: { before: `${markup}${info}`, units: note.length } }
    add(from, to, bodies, { isClosed, ...(type === 'fence' && !isClosed ? goOn : {}) })
  }

  return { leaves: closedBy(leaves, lines), tops }
}

/** The beginning of an outermost block, or of an item of an outermost list. */
const isTop = ({ level, nesting, type }: Token): boolean =>
  level === 0 ? nesting >= 0 && !type.endsWith('_list_open') : level === 1 && type === 'list_item_open'

/** A block is closed by the next one, and most are by an empty line. Of a line that has no end nothing is finished. */
function closedBy(leaves: readonly Leaf[], lines: readonly string[]): readonly Leaf[] {
  return leaves.map((leaf, index) => {
    if (index < leaves.length - 1) return { ...leaf, isClosed: true }
    const { to, finished, units } = leaf
    if (to >= lines.length && lines.at(-1) !== '')
      return { ...leaf, isClosed: false, finished: Math.min(finished, units.length - 1) }
    return { ...leaf, isClosed: leaf.isClosed || (!leaf.isFence && to < lines.length - 1) }
  })
}

const textBody = (source: string, isHeading: boolean, { parser }: MarkdownTools): UnitBody => ({
  type: 'text',
  isHeading,
  read: () => readInline(source, parser),
})

/** The lines are coloured together, when one of them is drawn. */
function codeBodies(
  code: string,
  count: number,
  language: string,
  { highlight }: MarkdownTools,
): readonly UnitBody[] {
  let known: ReturnType<Highlight['lines']> | undefined
  const lines = (): ReturnType<Highlight['lines']> => (known ??= highlight.lines(code, language))
  return Array.from({ length: count }, (_, index) => ({ type: 'code', read: () => lines()[index] ?? [] }))
}

/** The quotes and list items around a block. */
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
    /** What stands before the next block; the marks of items are used once. */
    take(): Lead {
      const first = open.map(({ mark, later, isUsed }) => (isUsed ? later : mark)).join('')
      for (const one of open) one.isUsed = true
      return { first, later: open.map(({ later }) => later).join('') }
    },
  }
}
