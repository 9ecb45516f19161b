import type { IncomingMessage, RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import type { SearchConfig } from '../../../src/web/search-providers.ts'
import { createSearch, SEARCH_LIMITS } from '../../../src/web/search.ts'
import { startSite } from '../../support/site.ts'

const never = new AbortController().signal
const KEY = 'sk-very-secret'

/** Searches at a local server that answers with `serve`; gives the results and what it was asked. */
async function searchAt(
  config: Omit<SearchConfig, 'url'>,
  serve: RequestListener,
  { start = 1, path = '/api' } = {},
) {
  const asked: IncomingMessage[] = []
  await using site = await startSite((request, response) => {
    asked.push(request)
    serve(request, response)
  })
  const url = `http://127.0.0.1:${site.port}${path}`
  const hits = await createSearch({ ...config, url }, { ...SEARCH_LIMITS, idleMs: 300 }).find(
    { words: 'cats & dogs', start },
    never,
  )
  const request = asked[0]!
  return { hits, headers: request.headers, asked: new URL(request.url!, url) }
}

const json =
  (body: unknown, status = 200): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const searxng = { provider: 'searxng' } as const
const brave = { provider: 'brave', apiKey: KEY, apiKeyEnv: 'BRAVE_KEY' } as const
const google = { provider: 'google', apiKey: KEY, apiKeyEnv: 'GOOGLE_KEY', engineId: 'abc' } as const
const hit = { title: 'Cats', url: 'https://cats.test/', snippet: 'All about cats' }

const answer = { query: 'q', results: [{ ...hit, content: hit.snippet, engine: 'x' }], suggestions: [] }

test.each(['/', '/search', '/search/', ''])(
  'SearXNG is asked for JSON if its URL has the path %j',
  async (path) => {
    const { hits, asked } = await searchAt(searxng, json(answer), { path })
    expect(hits).toEqual([hit])
    expect(`${asked.pathname}?${asked.searchParams.toString()}`).toBe(
      '/search?q=cats+%26+dogs&format=json&pageno=1',
    )
  },
)

test('SearXNG is asked for the result page that contains the start number', async () => {
  const { asked } = await searchAt(searxng, json(answer), { start: 21 })
  expect(asked.searchParams.get('pageno')).toBe('3')
})

test('a SearXNG server that forbids JSON is an error that names search.formats', async () => {
  await expect(searchAt(searxng, json({}, 403))).rejects.toThrow('must list json under search.formats')
})

test('Brave gets its key in a header and the offset of the result page', async () => {
  const answer = {
    type: 'search',
    web: { results: [{ title: 'Cats', url: hit.url, description: hit.snippet }] },
  }
  const { hits, asked, headers } = await searchAt(brave, json(answer), { start: 11 })
  expect(hits).toEqual([hit])
  expect(headers['x-subscription-token']).toBe(KEY)
  expect(asked.href).not.toContain(KEY)
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({ q: 'cats & dogs', count: '10', offset: '1' })
})

test('Google gets the key, the engine and the start number', async () => {
  const items = [{ title: 'Cats', link: hit.url, snippet: hit.snippet }]
  const { hits, asked } = await searchAt(google, json({ kind: 'customsearch#search', items }), { start: 11 })
  expect(hits).toEqual([hit])
  expect(Object.fromEntries(asked.searchParams)).toEqual({
    key: KEY,
    cx: 'abc',
    q: 'cats & dogs',
    start: '11',
    num: '10',
  })
})

test.each([
  [401, 'the key is not accepted'],
  [403, 'the key is not accepted'],
  [429, 'try again later'],
  [500, 'try again later'],
  [418, "answered 418 I'm a Teapot"],
])('a search that is answered with status %i fails with advice', async (status, advice) => {
  for (const config of [brave, google])
    await expect(searchAt(config, json({}, status))).rejects.toThrow(advice)
})

test('a search without its API key fails before any request and names the variable', async () => {
  const search = createSearch({ provider: 'brave', apiKeyEnv: 'BRAVE_KEY', url: 'http://127.0.0.1:1/' })
  await expect(search.find({ words: 'x', start: 1 }, never)).rejects.toThrow('an admin must set BRAVE_KEY')
})
