import type { MarkdownIt, Token } from 'markdown-it'
import { safeAddress } from '../../base/addresses.ts'
import { cleanText } from '../../base/text/clean-text.ts'
import type { Span, SpanStyle } from '../../base/text/styled.ts'

const PLAIN: SpanStyle = {}

/** Returns spans whose joined text is sanitized. Lines end with LF. */
export function readInline(source: string, parser: MarkdownIt): readonly Span[] {
  const spans = parser.parseInline(source, {}).flatMap(({ children }) => spansOf(children ?? []))
  // Entities such as `&#x202e;` are resolved by now.
  const whole = spans.map(({ text }) => text).join('')
  const clean = cleanText(whole)
  return clean === whole ? spans : [{ text: clean }]
}

function spansOf(tokens: readonly Token[]): readonly Span[] {
  const spans: Span[] = []
  const looks: SpanStyle[] = [PLAIN]
  let linkFrom = 0
  for (const token of tokens) {
    const look = looks.at(-1) ?? PLAIN
    if (token.nesting === 1) {
      if (token.type === 'link_open') linkFrom = spans.length
      looks.push(nestedStyle(look, token))
    } else if (token.nesting === -1) {
      looks.pop()
      if (token.type === 'link_close') spans.push(...shownAddress(spans.slice(linkFrom), look))
    } else spans.push(...leaf(token, look))
  }
  return spans
}

function nestedStyle(look: SpanStyle, token: Token): SpanStyle {
  switch (token.type) {
    case 'strong_open':
      return { ...look, strong: true }
    case 'em_open':
      return { ...look, emphasis: true }
    case 's_open':
      return { ...look, strike: true }
    case 'link_open': {
      const link = addressOf(token, 'href')
      return link === undefined ? look : { ...look, link }
    }
    default:
      return look
  }
}

function leaf(token: Token, look: SpanStyle): readonly Span[] {
  switch (token.type) {
    case 'softbreak':
    case 'hardbreak':
      return [{ text: '\n' }]
    case 'code_inline':
      return [{ ...look, text: token.content, code: true }]
    case 'image': {
      const link = addressOf(token, 'src')
      const linked = link === undefined ? look : { ...look, link }
      const words = { ...linked, text: token.content || 'image' }
      return [words, ...shownAddress([words], look)]
    }
    default:
      return token.content === '' ? [] : [{ ...look, text: token.content }]
  }
}

const addressOf = (token: Token, attribute: string): string | undefined =>
  safeAddress(String(token.attrGet(attribute) ?? ''))

/** Returns a link's address to show after its words, which may name another site; empty if they are equal. */
function shownAddress(words: readonly Span[], look: SpanStyle): readonly Span[] {
  const link = words.find((word) => word.link !== undefined)?.link
  if (link === undefined) return []
  const text = words.map((word) => word.text).join('')
  const isSame = [link, `${link}/`].some((one) => [text, `${text}/`, `mailto:${text}`].includes(one))
  return isSame ? [] : [{ ...look, text: ` (${link})`, link }]
}
