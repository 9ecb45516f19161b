import type { SearchConfig } from '../../src/web/search-providers.ts'
import { createSearch, SEARCH_LIMITS } from '../../src/web/search.ts'
import { KEY, webSearchExam, type Examinee } from './web-search-exam.ts'

const searchAt =
  (config: Omit<SearchConfig, 'url'>): Examinee['search'] =>
  (url) =>
    createSearch({ ...config, url }, { ...SEARCH_LIMITS, idleMs: 1_000 })

webSearchExam('searxng', {
  search: searchAt({ provider: 'searxng' }),
  answer: (results) => ({ query: 'q', results, suggestions: [] }),
  result: ({ title, url, snippet }) => ({ title, url, content: snippet, engine: 'x' }),
})

webSearchExam('brave', {
  search: searchAt({ provider: 'brave', apiKey: KEY, apiKeyEnv: 'BRAVE_KEY' }),
  answer: (results) => ({ type: 'search', ...(results.length > 0 ? { web: { results } } : {}) }),
  result: ({ title, url, snippet }) => ({ title, url, description: snippet }),
})

webSearchExam('google', {
  search: searchAt({ provider: 'google', apiKey: KEY, apiKeyEnv: 'GOOGLE_KEY', engineId: 'abc' }),
  answer: (results) => ({ kind: 'customsearch#search', ...(results.length > 0 ? { items: results } : {}) }),
  result: ({ title, url, snippet }) => ({ title, link: url, snippet }),
})
