import { tables } from '@joplin/turndown-plugin-gfm'
import TurndownService, { type Rule } from 'turndown'

/** Elements without readable text. */
const SILENT: readonly string[] = [
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'object',
  'svg',
  'canvas',
  'form',
  'nav',
]

/** The used part of an element, because the parser has no DOM types. */
interface Element {
  getAttribute(name: string): string | null
}

/** Writes HTML as Markdown, or as paragraphs without marks. */
export function createWriter(format: 'markdown' | 'text', base: string): (html: string) => string {
  const writer = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
  })
  writer.remove((node) => SILENT.includes(node.nodeName.toLowerCase()))
  writer.addRule('image', { filter: 'img', replacement: (_content, node) => attribute(node, 'alt') })
  if (format === 'text') plainly(writer)
  else {
    writer.use(tables)
    writer.addRule('link', link(base))
  }
  return (html) => (html.trim() === '' ? '' : writer.turndown(html))
}

/** Makes links absolute. Keeps only the text of a link that nobody could follow. */
const link = (base: string): Rule => ({
  filter: 'a',
  replacement: (content, node) => {
    const href = attribute(node, 'href')
    const words = content.trim()
    if (words === '' || href === '' || href.startsWith('#') || !URL.canParse(href, base)) return content
    const url = new URL(href, base)
    return /^https?:$/.test(url.protocol) ? `[${words}](${url.href})` : content
  },
})

function plainly(writer: TurndownService): void {
  writer.escape = (text) => text
  writer.addRule('plain', {
    filter: ['a', 'b', 'strong', 'i', 'em', 'code', 'del', 's'],
    replacement: (content) => content,
  })
  writer.addRule('block', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre'],
    replacement: (content) => `\n\n${content}\n\n`,
  })
  writer.addRule('cell', { filter: ['td', 'th'], replacement: (content) => `${content.trim()}\t` })
  writer.addRule('row', { filter: 'tr', replacement: (content) => `${content.trim()}\n` })
}

function attribute(node: Element, name: string): string {
  const value = node.getAttribute(name)
  return value?.replaceAll(/\s+/g, ' ').trim() ?? ''
}
