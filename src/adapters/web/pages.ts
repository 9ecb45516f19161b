import { STATUS_CODES } from 'node:http'
import { WebError, type PageFormat, type Visit, type WebPage } from '../../tools/web.ts'
import { readBody } from './body.ts'
import { checkUrl, type Rules } from './destination.ts'
import { follow, type Arrival } from './follow.ts'
import { decodeText, mediaOf } from './media.ts'
import type { PageReader } from './page-reader.ts'
import { startTimeLimit, type TimeLimit, type TimeLimits } from './time-limit.ts'

/** Figures that a page must keep to. */
export interface PageLimits extends TimeLimits {
  /** Of the body, unpacked. */
  readonly bodyBytes: number
}

export const PAGE_LIMITS: PageLimits = { totalMs: 15_000, idleMs: 5_000, bodyBytes: 2 * 1024 * 1024 }

/** What pages are read with. */
export interface PagesParts {
  readonly rules: Rules
  readonly limits: PageLimits
  readonly reader: PageReader
  /** See `GetRequest`. */
  readonly authorities?: string
}

/** Makes the `visit` of a `Web`. */
export function createPages(parts: PagesParts): (url: string) => Visit {
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
  const read = await parts.reader.read({ html: text, url: page.url, format }, signal)
  return { ...page, title: read.title, text: read.text, cut: loaded.cut || read.cut }
}

/** Does all that needs the network, within one time limit. */
async function load(start: URL, parts: PagesParts, outer: AbortSignal) {
  using time = startTimeLimit(parts.limits, outer)
  const { rules, authorities } = parts
  const arrival = await follow(start, { ...rules, ...(authorities ? { authorities } : {}) }, time)
  try {
    return await take(arrival, parts.limits, time)
  } finally {
    arrival.answer.destroy()
  }
}

async function take({ url, answer }: Arrival, limits: PageLimits, time: TimeLimit) {
  const status = answer.statusCode ?? 0
  if (status < 200 || status > 299) throw new WebError(`${url.href} answered ${statusText(status)}`)
  const media = mediaOf(answer)
  const { bytes, cut } = await readBody(answer, url, limits.bodyBytes, time)
  return { ...media, url, status, cut, text: await decodeText(bytes, media.charset) }
}

const statusText = (status: number): string => `${status} ${STATUS_CODES[status] ?? ''}`.trim()
