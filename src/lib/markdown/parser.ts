/**
 * lib/markdown reads the Markdown that models write: CommonMark with the tables, the strike-through and the bare
 * addresses of GitHub's dialect. One parser serves all who draw it, on a terminal or a page, so that they agree.
 * It must not know how anything is drawn.
 */
import type { MarkdownIt, ParserBlock } from 'markdown-it'
import { safeAddress } from './safe-address.ts'

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
