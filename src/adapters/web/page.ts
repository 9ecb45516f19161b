import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import TurndownService from 'turndown'

/** What a page is made into, and what came of it. Both cross to another thread, so they are plain. */
export interface PageJob {
  readonly html: string
  readonly format: 'markdown' | 'text'
}
export interface PageResult {
  readonly title: string
  readonly text: string
}

type PageDocument = ReturnType<typeof parseHTML>['document']
type PageElement = PageDocument['body']

/** The article of a page, or all of it where there is none to be found, without scripts and decoration. */
export function renderPage({ html, format }: PageJob): PageResult {
  const { document } = parseHTML(wholeDocument(html))
  const fallback = document.title.trim()
  const article = new Readability(document.cloneNode(true)).parse()
  const content = article?.content
    ? parseHTML(wholeDocument(article.content)).document.body
    : plainBody(document)
  const text = format === 'text' ? content.textContent : markdown(content)
  return { title: (article?.title ?? fallback).trim(), text: tidy(text ?? '') }
}

/** The parser takes the first element for the root, whatever it is. */
const wholeDocument = (html: string): string =>
  /<html[\s>]/i.test(html) ? html : `<!doctype html><html><head></head><body>${html}</body></html>`

function plainBody(document: PageDocument): PageElement {
  for (const each of document.querySelectorAll('script, style, noscript, template, svg, iframe'))
    each.remove()
  return document.body
}

function markdown(content: PageElement): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
  })
  return service.turndown(content)
}

const tidy = (text: string): string =>
  text
    .replaceAll(/[ \t]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
