import type { MarkdownIt, ParserBlock } from 'markdown-it'
import { safeAddress } from './addresses.ts'

/**
 * Reads the Markdown that models write: CommonMark with GitHub's tables, strike-through and bare addresses.
 * One parser for terminals and pages. It must not know how anything is drawn.
 */

/** A list counts twice. What lies deeper is text. */
const MAX_DEPTH = 16

/**
 * Loads the parser, which takes longer than the rest of a start. HTML is text, only safe addresses are links,
 * and no link is defined elsewhere: a block means the same whatever follows.
 */
export async function loadMarkdownParser(): Promise<MarkdownIt> {
  const { default: createParser } = await import('markdown-it')
  const parser = createParser({ html: false, linkify: true, breaks: true })
  parser.disable(['reference', 'lheading'])
  limitDepth(parser.block, 'blockquote', ['paragraph', 'reference', 'blockquote', 'list'])
  limitDepth(parser.block, 'list', ['paragraph', 'reference', 'blockquote'])
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
  parser.validateLink = (address) => safeAddress(address) !== undefined
  // The parser's own rule drops blanks at line beginnings, and with them the shape of plain text.
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

/** The parser's own limit drops what lies deeper. `interrupts`: the blocks that the rule may end. */
function limitDepth({ ruler }: ParserBlock, name: string, interrupts: string[]): void {
  const rule = ruler.getRules('').find((one) => one.name === name)
  if (!rule) throw new TypeError(`the Markdown parser has no rule ${name}`)
  ruler.at(name, (state, ...rest) => state.level < MAX_DEPTH && rule(state, ...rest), { alt: interrupts })
}

/** A line that is too long for Markdown is text. */
export interface MarkdownSegment {
  readonly text: string
  readonly isMarkdown: boolean
}

/** UTF-16 units after which a segment ends at an empty line, and at any line. */
const WANTED_UNITS = 1_000
const MOST_UNITS = 2_000

/** After a mark of backticks, more of them make code within a line. */
const FENCE = /^[ >]*(?:(?:[-*+]|\d+[.)]) +)*(`{3,}(?!`)(?![^`]*`)|~{3,})/

/** Cuts a text into segments that do not take long to read. Long blocks of code go on as code. */
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

/** The mark that opened the block of code in which the line ends; empty if it ends in none. */
export function fenceAfter(line: string, open: string): string {
  const mark = FENCE.exec(line)?.[1] ?? ''
  if (open === '') return mark
  return mark.startsWith(open) && line.trimEnd().endsWith(mark) ? '' : open
}
