import type { MarkdownIt, Token } from 'markdown-it'
import { safeAddress } from '../../lib/markdown/safe-address.ts'
import { cleanText } from '../../lib/text/clean-text.ts'

/** How a stretch of text looks. */
export interface InlineLook {
  readonly strong?: true
  readonly emphasis?: true
  readonly strike?: true
  readonly underline?: true
  readonly code?: true
  /** What a highlighter found in code. */
  readonly role?: CodeRole
  /** A safe address (lib/markdown/safe-address.ts). */
  readonly address?: string
}

/** What a piece of code is, as far as it is shown. */
export type CodeRole = 'comment' | 'keyword' | 'literal' | 'string'

/** A stretch of text that looks the same; lines end with LF. */
export interface Stretch {
  readonly text: string
  readonly look: InlineLook
}

export const PLAIN_LOOK: InlineLook = {}

/** Reads what stands within a block: emphasis, code, links. The text of all stretches together is clean. */
export function readInline(source: string, parser: MarkdownIt): readonly Stretch[] {
  const stretches = parser.parseInline(source, {}).flatMap(({ children }) => stretchesOf(children ?? []))
  // What is written as `&#x202e;` is what it stands for by now.
  const whole = stretches.map(({ text }) => text).join('')
  const clean = cleanText(whole)
  return clean === whole ? stretches : [{ text: clean, look: PLAIN_LOOK }]
}

function stretchesOf(tokens: readonly Token[]): readonly Stretch[] {
  const stretches: Stretch[] = []
  const looks: InlineLook[] = [PLAIN_LOOK]
  let linkFrom = 0
  for (const token of tokens) {
    const look = looks.at(-1) ?? PLAIN_LOOK
    if (token.nesting === 1) {
      if (token.type === 'link_open') linkFrom = stretches.length
      looks.push(inner(look, token))
    } else if (token.nesting === -1) {
      looks.pop()
      if (token.type === 'link_close') stretches.push(...shownAddress(stretches.slice(linkFrom), look))
    } else stretches.push(...leaf(token, look))
  }
  return stretches
}

function inner(look: InlineLook, token: Token): InlineLook {
  switch (token.type) {
    case 'strong_open':
      return { ...look, strong: true }
    case 'em_open':
      return { ...look, emphasis: true }
    case 's_open':
      return { ...look, strike: true }
    case 'link_open': {
      const address = addressIn(token, 'href')
      return address === undefined ? look : { ...look, address }
    }
    default:
      return look
  }
}

function leaf(token: Token, look: InlineLook): readonly Stretch[] {
  switch (token.type) {
    case 'softbreak':
    case 'hardbreak':
      return [{ text: '\n', look: PLAIN_LOOK }]
    case 'code_inline':
      return [{ text: token.content, look: { ...look, code: true } }]
    case 'image': {
      const address = addressIn(token, 'src')
      const linked = address === undefined ? look : { ...look, address }
      const words = { text: token.content || 'image', look: linked }
      return [words, ...shownAddress([words], look)]
    }
    default:
      return token.content === '' ? [] : [{ text: token.content, look }]
  }
}

const addressIn = (token: Token, attribute: string): string | undefined =>
  safeAddress(String(token.attrGet(attribute) ?? ''))

/**
 * The address of a link is shown behind its words, unless they are the address: not every terminal has links, and words
 * may pretend to lead elsewhere.
 */
function shownAddress(words: readonly Stretch[], look: InlineLook): readonly Stretch[] {
  const address = words.find((word) => word.look.address !== undefined)?.look.address
  if (address === undefined) return []
  const text = words.map((word) => word.text).join('')
  const isSame = [address, `${address}/`].some((one) => [text, `${text}/`, `mailto:${text}`].includes(one))
  return isSame ? [] : [{ text: ` (${address})`, look: { ...look, address } }]
}
