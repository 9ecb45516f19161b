import type { MarkdownIt, Token } from 'markdown-it'
import { visibleLine } from '../../base/text/visible-text.ts'
import { markup, Html } from '../../base/markup.ts'
import { loadMarkdownParser, markdownSegments } from '../../base/markdown.ts'

/** Converts Markdown to HTML piece by piece, each piece in a few milliseconds at most. */
export type MarkdownToHtml = (text: string) => Iterable<Html>

/**
 * Loads the Markdown renderer. The library escapes all texts and treats HTML as text. A link sends no
 * referrer, a picture becomes a link, and a heading becomes a paragraph.
 */
export async function loadMarkdownHtml(): Promise<MarkdownToHtml> {
  const parser = await loadMarkdownParser()
  setRules(parser)
  return function* (text) {
    for (const segment of markdownSegments(text))
      yield segment.isMarkdown
        ? markup`<div class="md">${Html.trusted(withBoxes(parser.render(segment.text)))}</div>`
        : markup`<div class="plain">${segment.text}</div>`
  }
}

/** Shows the items of a task list with boxes. The parser escapes texts, so each `<li>` is the parser's. */
const withBoxes = (html: string): string =>
  html.replace(
    /(<li>(?:\n<p>)?)\[([ xX])\] /g,
    (_, begin: string, mark: string) => `${begin}${mark === ' ' ? '☐' : '☑'} `,
  )

function setRules({ renderer, utils: { escapeHtml } }: MarkdownIt): void {
  const { rules } = renderer
  rules['link_open'] = (tokens, at) => linkOpen(escapeHtml(attribute(tokens[at], 'href')))
  rules['image'] = (tokens, at) => {
    const { content = '' } = tokens[at] ?? {}
    const address = escapeHtml(attribute(tokens[at], 'src'))
    return `${linkOpen(address)}${escapeHtml(content) || address}</a>`
  }
  rules['heading_open'] = () => '<p class="heading">'
  rules['heading_close'] = () => '</p>\n'
  rules['table_open'] = () => '<div class="table" tabindex="0" role="group" aria-label="table"><table>\n'
  rules['table_close'] = () => '</table></div>\n'
  for (const cell of ['th', 'td']) rules[`${cell}_open`] = (tokens, at) => `<${cell}${alignment(tokens[at])}>`
  rules['fence'] = (tokens, at) => {
    const { content = '', info = '' } = tokens[at] ?? {}
    // Shows people the text after the fence, because models read it.
    const shown = info.trim() === '' ? '' : `<p class="info">${escapeHtml(visibleLine(info.trim()))}</p>\n`
    return `${shown}<pre><code>${escapeHtml(content)}</code></pre>\n`
  }
}

/** Replaces the parser's style attribute, which the page's policy forbids, with a class of the stylesheet. */
function alignment(token: Token | undefined): string {
  const [, side] = /^text-align:(center|right)$/.exec(attribute(token, 'style')) ?? []
  return side === undefined ? '' : ` class="${side}"`
}

const attribute = (token: Token | undefined, name: string): string => String(token?.attrGet(name) ?? '')

const linkOpen = (address: string): string => `<a href="${address}" rel="noreferrer noopener nofollow">`
