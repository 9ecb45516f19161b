import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { headOf } from '../../../lib/text/characters.ts'
import { createWriter } from './write-text.ts'

/** A page to be read. */
export interface ReadRequest {
  readonly html: string
  /** Where it came from: relative links are made whole with it. */
  readonly url: string
  readonly format: 'markdown' | 'text'
}

/** What there is to read in a page. */
export interface Reading {
  readonly title: string
  readonly text: string
  /** True if there was more. */
  readonly cut: boolean
}

/** Characters of the text that is kept. */
const MAX_CHARS = 1_000_000

/** Readability gives up on a page with more elements: it could not end in time. */
const MAX_ELEMENTS = 100_000

/**
 * What there is to read in a page: its article where it has one, else all of it. Runs under limits of time and
 * memory, which HTML made to hang needs; may throw anything.
 */
export function readHtml({ html, url, format }: ReadRequest): Reading {
  const { document } = parseHTML(asDocument(html))
  const base = baseOf(document, url)
  const title = document.title
  const all: string = document.body.innerHTML
  const article = new Readability(document, { maxElemsToParse: MAX_ELEMENTS }).parse()
  const text = createWriter(format, base)(article?.content || all).trim()
  return { title: article?.title || title, text: headOf(text, MAX_CHARS), cut: text.length > MAX_CHARS }
}

/** Adds html and body where a page leaves them out: the parser does not, and the other libraries need them. */
const asDocument = (html: string): string =>
  /<html[\s>]/i.test(html) && /<body[\s>]/i.test(html)
    ? html
    : `<!doctype html><html><head></head><body>${html.replaceAll(/<!doctype[^>]*>|<\/?(?:html|body)[^>]*>/gi, '')}</body></html>`

function baseOf(document: ReturnType<typeof parseHTML>['document'], url: string): string {
  const href: string = document.querySelector('base[href]')?.getAttribute('href') ?? ''
  return URL.canParse(href, url) ? new URL(href, url).href : url
}
