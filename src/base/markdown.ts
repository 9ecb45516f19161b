import type { MarkdownIt, ParserBlock } from 'markdown-it'
import { safeAddress } from './addresses.ts'

/**
 * Parses the Markdown that models write: CommonMark with GitHub's tables, strikethrough and bare links. The
 * same parser serves terminals and pages. It must not know how anything is drawn.
 */

/** A list counts as two levels. Deeper content is plain text. */
const MAX_DEPTH = 16

/**
 * Loads the parser, which takes longer than the rest of a start. HTML is text, only safe addresses become
 * links, and link definitions are off, so that a block means the same whatever follows it.
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

/**
 * Turns deeper content into text; the parser's own limit drops it. `interrupts` lists the blocks that the
 * rule may end.
 */
function limitDepth({ ruler }: ParserBlock, name: string, interrupts: string[]): void {
  const rule = ruler.getRules('').find((one) => one.name === name)
  if (!rule) throw new TypeError(`the Markdown parser has no rule ${name}`)
  ruler.at(name, (state, ...rest) => state.level < MAX_DEPTH && rule(state, ...rest), { alt: interrupts })
}

/** A part of a text that is parsed at once. A line too long to parse is text. */
export interface MarkdownSegment {
  readonly text: string
  readonly isMarkdown: boolean
}

/** UTF-16 units after which a segment ends at the next empty line. */
const WANTED_UNITS = 1_000
/** UTF-16 units that a segment never exceeds. */
const MOST_UNITS = 2_000

/** A mark of backticks with more backticks on its line is inline code. */
const FENCE = /^[ >]*(?:(?:[-*+]|\d+[.)]) +)*(`{3,}(?!`)(?![^`]*`)|~{3,})/

/**
 * Splits a text into segments that are quick to parse. A long code block goes on as code in the next segment.
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

/** Returns the fence of the code block that is open after this line; empty if there is none. */
export function fenceAfter(line: string, open: string): string {
  const mark = FENCE.exec(line)?.[1] ?? ''
  if (open === '') return mark
  return mark.startsWith(open) && line.trimEnd().endsWith(mark) ? '' : open
}

/** Returns what stands between fences, without the indent of a list or the marks of a quote. */
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
