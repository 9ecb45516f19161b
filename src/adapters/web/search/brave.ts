import { z } from 'zod'
import { listOf, textField } from './hits.ts'
import type { SearchProvider } from './provider.ts'

const answer = z.object({
  type: z.literal('search'),
  web: z.object({ results: z.array(z.unknown()) }).optional(),
})
const result = z.object({ title: textField, url: z.string().min(1), description: textField })

const PAGE = 10

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
    const parsed = answer.safeParse(body)
    if (!parsed.success) return undefined
    return listOf(parsed.data.web?.results ?? [], result, ({ title, url, description }) => ({
      title,
      url,
      snippet: description,
    }))
  },
}
