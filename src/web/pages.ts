import { STATUS_CODES, type IncomingMessage } from 'node:http'
import { WebError, type PageFormat, type PageRequest, type WebPage } from '../tools/index.ts'
import { readBody } from './body.ts'
import { checkUrl, findDestination, type UrlPolicy } from './addresses.ts'
import { decodeText, mediaOf } from './media.ts'
import type { ReadPage } from './page-reader.ts'
import { get, startTimeLimit, type TimeLimit, type TimeLimits } from './request.ts'

export interface PageLimits extends TimeLimits {
  /** The limit of the decompressed body. */
  readonly bodyBytes: number
}

export const PAGE_LIMITS: PageLimits = { totalMs: 15_000, idleMs: 5_000, bodyBytes: 2 * 1024 * 1024 }

export interface PagesParts {
  readonly rules: UrlPolicy
  readonly limits: PageLimits
  readonly readHtml: ReadPage
  readonly authorities?: string
}

export function createPages(parts: PagesParts): (url: string) => PageRequest {
  return (text) => {
    const url = checkUrl(text, parts.rules)
    return {
      host: url.host,
      url: url.href,
      read: async (format, signal) => readPage(url, format, parts, signal),
    }
  }
}

async function readPage(
  url: URL,
  format: PageFormat,
  parts: PagesParts,
  signal: AbortSignal,
): Promise<WebPage> {
  const { type, isHtml, text, ...loaded } = await load(url, parts, signal)
  const page = { url: loaded.url.href, status: loaded.status, contentType: type }
  if (!isHtml || format === 'raw') return { ...page, title: '', text, cut: loaded.cut }
  const read = await parts.readHtml({ html: text, url: page.url, format }, signal)
  return { ...page, title: read.title, text: read.text, cut: loaded.cut || read.cut }
}

/** Does all network work within one time limit. */
async function load(start: URL, parts: PagesParts, outer: AbortSignal) {
  using time = startTimeLimit(parts.limits, outer)
  const { rules, authorities } = parts
  const arrival = await fetchPage(start, { ...rules, ...(authorities ? { authorities } : {}) }, time)
  try {
    return await readResponse(arrival, parts.limits, time)
  } finally {
    arrival.answer.destroy()
  }
}

async function readResponse({ url, answer }: PageResponse, limits: PageLimits, time: TimeLimit) {
  const status = answer.statusCode ?? 0
  if (status < 200 || status > 299) throw new WebError(`${url.href} answered ${statusText(status)}`)
  const media = mediaOf(answer)
  const { bytes, cut } = await readBody(answer, url, limits.bodyBytes, time)
  return { ...media, url, status, cut, text: await decodeText(bytes, media.charset) }
}

const statusText = (status: number): string => `${status} ${STATUS_CODES[status] ?? ''}`.trim()

const MAX_REDIRECTS = 5

const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308]

const HEADERS = {
  'user-agent': 'sshawl (reads single pages when somebody asks for them)',
  accept: 'text/markdown, text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.1',
}

/** A response, and its URL after redirects. */
interface PageResponse {
  readonly url: URL
  readonly answer: IncomingMessage
}

/**
 * Gets a page. Follows redirects within the site, checking each like the first URL. A redirect to another
 * site is an error that names that site, which has no permission. Rejects with `WebError` or the signal's
 * reason.
 */
async function fetchPage(
  start: URL,
  rules: UrlPolicy & { readonly authorities?: string },
  time: TimeLimit,
): Promise<PageResponse> {
  let url = start
  for (let redirects = 0; ; redirects += 1) {
    const { addresses } = await findDestination(url, rules, time.signal)
    const answer = await get({ ...rules, url, addresses, headers: HEADERS }, time)
    const { location } = answer.headers
    if (!REDIRECTS.includes(answer.statusCode) || location === undefined) return { url, answer }
    answer.destroy()
    if (redirects === MAX_REDIRECTS)
      throw new WebError(`${start.host} redirects more than ${MAX_REDIRECTS} times`)
    const next = checkUrl(location, rules, url)
    if (siteOf(next) !== siteOf(url))
      throw new WebError(`${url.host} redirects to another site; to go there, fetch ${next.href}`)
    url = next
  }
}

/** Treats `www.` as the same site. */
const siteOf = ({ host }: URL): string => host.replace(/^www\./, '')
