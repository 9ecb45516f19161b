import type { MarkdownIt, ParserBlock } from 'markdown-it'
import { safeAddress } from './addresses.ts'

// Parses models' Markdown for terminals and pages: CommonMark with GitHub's tables, strikethrough and bare
// links. Must not know how Markdown is drawn.

/** A list counts as two levels. Deeper content is plain text. */
const MAX_DEPTH = 16

/**
 * Loads the parser, which is slow. HTML is text, only safe addresses become links, and link definitions are
 * off, so that later text does not change a block.
 */
export async function loadMarkdownParser(): Promise<MarkdownIt> {
  const { default: createParser } = await import('markdown-it')
  const parser = createParser({ html: false, linkify: true, breaks: true })
  parser.disable(['reference', 'lheading'])
  limitDepth(parser.block, 'blockquote', ['paragraph', 'reference', 'blockquote', 'list'])
  limitDepth(parser.block, 'list', ['paragraph', 'reference', 'blockquote'])
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
  parser.validateLink = (address) => safeAddress(address) !== undefined
  // The parser's own rule drops spaces at line starts, which plain text may need for its layout.
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

/** Turns deeper blocks into text, which the parser would drop. `interrupts`: blocks that the rule may end. */
function limitDepth({ ruler }: ParserBlock, name: string, interrupts: string[]): void {
  const rule = ruler.getRules('').find((one) => one.name === name)
  if (!rule) throw new TypeError(`the Markdown parser has no rule ${name}`)
  ruler.at(name, (state, ...rest) => state.level < MAX_DEPTH && rule(state, ...rest), { alt: interrupts })
}

/** A part of a text that is parsed as a whole. A line too long to parse is plain text. */
export interface MarkdownSegment {
  readonly text: string
  readonly isMarkdown: boolean
}

/** The UTF-16 units after which a segment ends at the next empty line. */
const WANTED_UNITS = 1_000
/** The maximum UTF-16 units of a segment. */
const MOST_UNITS = 2_000

/** Backticks followed by more backticks on the same line are inline code. */
const FENCE = /^[ >]*(?:(?:[-*+]|\d+[.)]) +)*(`{3,}(?!`)(?![^`]*`)|~{3,})/

/** Splits a text into segments that are quick to parse. A long code block continues in the next segment. */
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

/** Returns the fence of the code block that is still open after `line`; empty if there is none. */
export function fenceAfter(line: string, open: string): string {
  const mark = FENCE.exec(line)?.[1] ?? ''
  if (open === '') return mark
  return mark.startsWith(open) && line.trimEnd().endsWith(mark) ? '' : open
}

/** Returns the contents of fenced blocks, without a list's indent or a quote's marks. */
export function fencedBlocks(text: string): readonly string[] {
  const blocks: string[][] = []
  let fence = ''
  let margin = 0
  for (const line of text.split('\n')) {
    const next = fenceAfter(line, fence)
    if (fence === '' && next !== '') {
      blocks.push([])
      margin = line.search(/[`~]/)
    } else if (next !== '') {
      const [marks = ''] = /^[ >]*/.exec(line.slice(0, margin)) ?? []
      blocks.at(-1)?.push(line.slice(marks.length))
    }
    fence = next
  }
  return blocks.map((lines) => lines.join('\n'))
}
