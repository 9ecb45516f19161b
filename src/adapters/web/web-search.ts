import { z } from 'zod'
import { WebError, type SearchHit, type WebSearch } from '../../tools/web-ports.ts'
import { get } from './get.ts'

/** Which search service to ask, as the config names it. */
export interface WebSearchOptions {
  readonly provider: 'searxng' | 'brave' | 'google'
  /** Address of the service: needed for searxng, which everybody runs for themselves. */
  readonly url?: string
  /** Needed for brave and google. */
  readonly apiKey?: string
  /** Google's `cx`. */
  readonly engineId?: string
  readonly timeoutMs?: number
}

/** One provider: where to ask, and how to read the answer. */
interface Provider {
  request(query: string, start: number): { readonly url: URL; readonly headers?: Record<string, string> }
  read(answer: unknown): readonly SearchHit[]
}

const pageSize = 10
const maxBytes = 2 * 1024 * 1024

/** See `WebSearch`. What the provider cannot do without and was not given is a `WebError` of each search. */
export function createWebSearch(options: WebSearchOptions): WebSearch {
  const provider = providers[options.provider](options)
  const timeoutMs = options.timeoutMs ?? 15_000
  return {
    async search(query, start, signal) {
      const { url, headers } = provider.request(query, start)
      const over = AbortSignal.timeout(timeoutMs)
      try {
        // The operator chose this address, and it may well be on the server's own network.
        const limits = { allowed: () => true, maxBytes, signal: AbortSignal.any([signal, over]) }
        const body = await get(url.href, { ...limits, headers: { accept: 'application/json', ...headers } })
        return provider.read(JSON.parse(body.content.toString('utf8'))).slice(0, pageSize)
      } catch (error) {
        signal.throwIfAborted()
        throw new WebError(`the search failed: ${over.aborted ? 'no answer in time' : reason(error)}`, {
          cause: error,
        })
      }
    },
  }
}

function reason(error: unknown): string {
  if (error instanceof WebError) return error.message
  return 'the answer of the search service could not be understood'
}

const providers: Record<WebSearchOptions['provider'], (options: WebSearchOptions) => Provider> = {
  /** https://docs.searxng.org/dev/search_api.html; `json` must be among the instance's `search.formats`. */
  searxng: ({ url }) => ({
    request: (query, start) => ({
      url: address(new URL('search', withSlash(needed(url, 'url'))), {
        q: query,
        format: 'json',
        pageno: pageOf(start),
      }),
    }),
    read: (answer) =>
      hits({ results: z.array(z.object({ title: text, url: text, content: text })) }, answer).results.map(
        ({ title, url, content }) => ({ title, url, snippet: content }),
      ),
  }),
  /** https://api-dashboard.search.brave.com/app/documentation/web-search; `offset` counts pages from 0. */
  brave: ({ url = 'https://api.search.brave.com/res/v1/web/search', apiKey }) => ({
    request: (query, start) => ({
      url: address(new URL(url), { q: query, count: pageSize, offset: pageOf(start) - 1 }),
      headers: { 'x-subscription-token': needed(apiKey, 'api_key_env') },
    }),
    read: (answer) => {
      const results = z.array(z.object({ title: text, url: text, description: text })).default([])
      return hits({ web: z.object({ results }).default({ results: [] }) }, answer).web.results.map(
        ({ title, url, description }) => ({ title, url, snippet: description }),
      )
    },
  }),
  /** https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list */
  google: ({ url = 'https://www.googleapis.com/customsearch/v1', apiKey, engineId }) => ({
    request: (query, start) => ({
      url: address(new URL(url), {
        q: query,
        start,
        num: pageSize,
        key: needed(apiKey, 'api_key_env'),
        cx: needed(engineId, 'engine_id'),
      }),
    }),
    read: (answer) =>
      hits(
        { items: z.array(z.object({ title: text, link: text, snippet: text })).default([]) },
        answer,
      ).items.map(({ title, link, snippet }) => ({ title, url: link, snippet })),
  }),
}

const text = z.string().default('')

const hits = <Shape extends z.ZodRawShape>(shape: Shape, answer: unknown) => z.object(shape).parse(answer)

const pageOf = (start: number): number => Math.floor((start - 1) / pageSize) + 1

const withSlash = (url: string): string => (url.endsWith('/') ? url : `${url}/`)

function needed(value: string | undefined, key: string): string {
  if (!value) throw new WebError(`tools.web.search needs ${key}`)
  return value
}

function address(url: URL, query: Readonly<Record<string, string | number>>): URL {
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, String(value))
  return url
}
