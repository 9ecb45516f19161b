import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { headOf } from '../../base/text/characters.ts'
import { createWriter } from './write-text.ts'

export interface ReadRequest {
  readonly html: string
  /** The page's URL, the base of relative links. */
  readonly url: string
  readonly format: 'markdown' | 'text'
}

export interface ReadablePage {
  readonly title: string
  readonly text: string
  /** True if the text exceeds `MAX_CHARS`. */
  readonly cut: boolean
}

const MAX_CHARS = 1_000_000

/** The limit for Readability, which takes too long with more elements. */
const MAX_ELEMENTS = 100_000

/**
 * Returns a page's article, or the whole page. Needs limits of time and memory, because HTML may be made to
 * hang; may throw anything.
 */
export function readHtml({ html, url, format }: ReadRequest): ReadablePage {
  const { document } = parseHTML(asDocument(html))
  const base = baseOf(document, url)
  const title = document.title
  const all: string = document.body.innerHTML
  const article = new Readability(document, { maxElemsToParse: MAX_ELEMENTS }).parse()
  const text = createWriter(format, base)(article?.content || all).trim()
  return { title: article?.title || title, text: headOf(text, MAX_CHARS), cut: text.length > MAX_CHARS }
}

/** Adds html and body elements, which other libraries need and the parser does not add. */
const asDocument = (html: string): string =>
  /<html[\s>]/i.test(html) && /<body[\s>]/i.test(html)
    ? html
    : `<!doctype html><html><head></head><body>${html.replaceAll(/<!doctype[^>]*>|<\/?(?:html|body)[^>]*>/gi, '')}</body></html>`

function baseOf(document: ReturnType<typeof parseHTML>['document'], url: string): string {
  const href: string = document.querySelector('base[href]')?.getAttribute('href') ?? ''
  return URL.canParse(href, url) ? new URL(href, url).href : url
}
