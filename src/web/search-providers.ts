import { z } from 'zod'
import { keysOf } from '../base/basics.ts'
import type { SearchHit } from '../tools/index.ts'

export interface SearchRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

export interface SearchAccess {
  /** The default is the provider's own URL. */
  readonly url?: string
  /** Never logged, and in no error. */
  readonly apiKey?: string
  /** The environment variable with the key, for error messages. */
  readonly apiKeyEnv?: string
  /** Google's `cx`. */
  readonly engineId?: string
}

export type RequiredSearchKey = 'url' | 'api_key_env' | 'engine_id'

export interface SearchProvider {
  /** Keys that `[tools.web.search]` must have. */
  readonly required: readonly RequiredSearchKey[]
  readonly usualUrl?: string
  /** Creates the request for results from number `start`, 1-based. */
  request(
    base: URL,
    query: { readonly words: string; readonly start: number },
    access: SearchAccess,
  ): SearchRequest
  /** Returns the results of a parsed response; undefined if it is not from this provider. */
  hits(answer: unknown): readonly SearchHit[] | undefined
  /** Advice for an admin, by HTTP status. */
  readonly advice?: Readonly<Record<number, string>>
}

const searxngAnswer = z.object({ results: z.array(z.unknown()) })

/** The results on a page, an estimate for SearXNG, whose requests name only a page number. */
const PAGE = 10

/** docs.searxng.org, Search API: `q`, `format`, `pageno`. */
export const searxng: SearchProvider = {
  required: ['url'],
  request(base, { words, start }) {
    const url = new URL('search', base.href.replace(/\/(search\/?)?$/, '/'))
    url.searchParams.set('q', words)
    url.searchParams.set('format', 'json')
    url.searchParams.set('pageno', String(Math.floor((start - 1) / PAGE) + 1))
    return { url, headers: {} }
  },
  hits(body) {
    const { data } = searxngAnswer.safeParse(body)
    return data && toHits(data.results, 'url', 'content')
  },
  advice: { 403: 'its settings.yml must list json under search.formats, and its limiter must let us in' },
}

const braveAnswer = z.object({
  type: z.literal('search'),
  web: z.object({ results: z.array(z.unknown()) }).optional(),
})

/** api-dashboard.search.brave.com, Web Search: `offset` counts pages from 0 to 9; the key is a header. */
export const brave: SearchProvider = {
  required: ['api_key_env'],
  usualUrl: 'https://api.search.brave.com/res/v1/web/search',
  request(base, { words, start }, { apiKey = '' }) {
    const url = new URL(base)
    url.searchParams.set('q', words)
    url.searchParams.set('count', String(PAGE))
    url.searchParams.set('offset', String(Math.floor((start - 1) / PAGE)))
    url.searchParams.set('text_decorations', 'false')
    return { url, headers: { 'x-subscription-token': apiKey } }
  },
  hits(body) {
    const { data } = braveAnswer.safeParse(body)
    return data && toHits(data.web?.results ?? [], 'url', 'description')
  },
}

const googleAnswer = z.object({
  kind: z.literal('customsearch#search'),
  items: z.array(z.unknown()).default([]),
})

/** developers.google.com/custom-search/v1: `cx` is the engine, `start` counts results from 1, ten at a time. */
export const google: SearchProvider = {
  required: ['api_key_env', 'engine_id'],
  usualUrl: 'https://www.googleapis.com/customsearch/v1',
  request(base, { words, start }, { apiKey = '', engineId = '' }) {
    const url = new URL(base)
    const parameters = { key: apiKey, cx: engineId, q: words, start: String(start), num: '10' }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return { url, headers: {} }
  },
  hits(body) {
    const { data } = googleAnswer.safeParse(body)
    return data && toHits(data.items, 'link', 'snippet')
  },
  advice: { 400: 'the engine_id in the config may be wrong' },
}

/** All search providers by config name. The config's check and types are derived from this list. */
export const SEARCH_PROVIDERS = { searxng, brave, google } satisfies Readonly<Record<string, SearchProvider>>

export const SEARCH_PROVIDER_NAMES = keysOf(SEARCH_PROVIDERS)

export interface SearchConfig extends SearchAccess {
  readonly provider: keyof typeof SEARCH_PROVIDERS
}

export interface WebConfig {
  readonly fetch: boolean
  /** The allowed ports of pages' URLs. */
  readonly ports: readonly number[]
  readonly search?: SearchConfig
}

const MAX_HITS = 20

/** Converts items with these fields. Omits items without a URL. */
const toHits = (items: readonly unknown[], urlField: string, snippetField: string): readonly SearchHit[] =>
  items.slice(0, MAX_HITS).flatMap((item) => {
    const { title, [urlField]: url, [snippetField]: snippet } = Object(item) as Record<string, unknown>
    return typeof url === 'string' && url !== ''
      ? { title: textOf(title), url, snippet: textOf(snippet) }
      : []
  })

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
