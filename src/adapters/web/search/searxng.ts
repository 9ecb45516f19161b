import { z } from 'zod'
import type { SearchProvider } from './provider.ts'
import { listOf, textField } from './hits.ts'

const answer = z.object({ results: z.array(z.unknown()) })
const result = z.object({ title: textField, url: z.string().min(1), content: textField })

/** Results on a page, about; SearXNG counts pages and not results. */
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
    const parsed = answer.safeParse(body)
    if (!parsed.success) return undefined
    return listOf(parsed.data.results, result, ({ title, url, content }) => ({
      title,
      url,
      snippet: content,
    }))
  },
  advice: { 403: 'its settings.yml must list json under search.formats, and its limiter must let us in' },
}
