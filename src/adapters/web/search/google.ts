import { z } from 'zod'
import { listOf, textField } from './hits.ts'
import type { SearchProvider } from './provider.ts'

const answer = z.object({ kind: z.literal('customsearch#search'), items: z.array(z.unknown()).default([]) })
const result = z.object({ title: textField, link: z.string().min(1), snippet: textField })

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
    const parsed = answer.safeParse(body)
    if (!parsed.success) return undefined
    return listOf(parsed.data.items, result, ({ title, link, snippet }) => ({ title, url: link, snippet }))
  },
  advice: { 400: 'the engine_id in the config may be wrong' },
}
