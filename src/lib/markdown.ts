import type { MarkdownIt, ParserBlock } from 'markdown-it'
import { safeAddress } from './addresses.ts'

/**
 * lib/markdown reads the Markdown that models write: CommonMark with the tables, the strike-through and the bare
 * addresses of GitHub's dialect. One parser serves all who draw it, on a terminal or a page, so that they agree.
 * It must not know how anything is drawn.
 */

/** Quotes and lists within that many others, a list counting twice, are text. */
const MAX_DEPTH = 16

/**
 * Loads the parser, which takes longer than the rest of a start. HTML is text to it, an address that `safeAddress` does
 * not take is no link, and so is one that is defined elsewhere: each block means the same, whatever stands below it.
 */
export async function loadMarkdownParser(): Promise<MarkdownIt> {
  const { default: createParser } = await import('markdown-it')
  const parser = createParser({ html: false, linkify: true, breaks: true })
  parser.disable(['reference', 'lheading'])
  limitDepth(parser.block, 'blockquote', ['paragraph', 'reference', 'blockquote', 'list'])
  limitDepth(parser.block, 'list', ['paragraph', 'reference', 'blockquote'])
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
  parser.validateLink = (address) => safeAddress(address) !== undefined
  // As shipped it takes the blanks at the beginning of a line away, and with them the shape of what is no Markdown.
  parser.inline.ruler.at('newline', (state, silent) => {
    if (state.src.charAt(state.pos) !== '\n') return false
    if (!silent) {
      state.pending = state.pending.trimEnd()
      state.push('softbreak', 'br', 0)
    }
    state.pos += 1
    return true
  })
  return parser
}

/** The parser's own limit drops what lies deeper. `interrupts` are the blocks that the rule may end, as the parser has them. */
function limitDepth({ ruler }: ParserBlock, name: string, interrupts: string[]): void {
  const rule = ruler.getRules('').find((one) => one.name === name)
  if (!rule) throw new TypeError(`the Markdown parser has no rule ${name}`)
  ruler.at(name, (state, ...rest) => state.level < MAX_DEPTH && rule(state, ...rest), { alt: interrupts })
}

/** A stretch of a text that can be read by itself: as Markdown, or, where a line is too long for that, as it is. */
export interface MarkdownSegment {
  readonly text: string
  readonly isMarkdown: boolean
}

/** UTF-16 units after which a segment ends at the next empty line, and those after which it ends at the next line. */
const WANTED_UNITS = 1_000
const MOST_UNITS = 2_000

const FENCE = /^[ >]*(`{3,}|~{3,})/

/**
 * A text in stretches of about `WANTED_UNITS`, so that none takes long to read. Most texts are one. A longer one is cut
 * between blocks where it has empty lines; what is cut inside a block of code goes on as code.
 */
export function* markdownSegments(text: string): Generator<MarkdownSegment, void, void> {
  let lines: string[] = []
  let units = 0
  let fence = ''

  function take(end: readonly string[] = []): readonly MarkdownSegment[] {
    const segment = [...lines, ...end].join('\n')
    lines = []
    units = 0
    return segment.trim() === '' ? [] : [{ text: segment, isMarkdown: true }]
  }

  for (const line of text.split('\n')) {
    if (line.length > MOST_UNITS) {
      yield* take()
      yield { text: line, isMarkdown: false }
      continue
    }
    if (units + line.length > MOST_UNITS) {
      yield* take(fence === '' ? [] : [fence])
      if (fence !== '') lines.push(fence)
    }
    lines.push(line)
    units += line.length + 1
    fence = fenceAfter(line, fence)
    if (fence === '' && units > WANTED_UNITS && line.trim() === '') yield* take()
  }
  yield* take()
}

/** The mark of the block of code that is open after a line; empty where none is. */
function fenceAfter(line: string, open: string): string {
  const mark = FENCE.exec(line)?.[1] ?? ''
  if (open === '') return mark
  return mark.startsWith(open) && line.trimEnd().endsWith(mark) ? '' : open
}
