import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createWebSearch, type WebSearchOptions } from '../../../../src/adapters/web/web-search.ts'
import { googleSearch } from '../../../../src/tools/google-search.ts'
import type { ToolContext } from '../../../../src/tools/tool.ts'
import { contextFor } from '../../tools/context.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A search service that gives one answer, and tells what it was asked. */
async function service(answer: unknown, status = 200) {
  const asked: { path: string; query: Record<string, string>; token: unknown }[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://x')
    asked.push({
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      token: request.headers['x-subscription-token'],
    })
    response.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/s`, asked }
}

const search = async (options: WebSearchOptions, q = 'a b&c', start = 1) => {
  const context = contextFor({} as ToolContext['workspace'])
  return (await googleSearch(createWebSearch(options)).run({ q, start }, context)).content
}

const answer = '11. One\n   https://one.test/\n   first\n\n12. Two\n   https://two.test/\n   second'

describe('google_search', () => {
  it('asks searxng', async () => {
    const { url, asked } = await service({
      results: [
        { title: 'One', url: 'https://one.test/', content: 'first', engine: 'x' },
        { title: 'Two', url: 'https://two.test/', content: 'second' },
      ],
    })
    expect(await search({ provider: 'searxng', url }, 'a b&c', 11)).toBe(answer)
    expect(asked).toEqual([
      { path: '/s/search', query: { q: 'a b&c', format: 'json', pageno: '2' }, token: undefined },
    ])
  })

  it('asks brave', async () => {
    const { url, asked } = await service({
      web: {
        results: [
          { title: 'One', url: 'https://one.test/', description: 'first' },
          { title: 'Two', url: 'https://two.test/', description: 'second' },
        ],
      },
    })
    expect(await search({ provider: 'brave', url, apiKey: 'k' }, 'x', 11)).toBe(answer)
    expect(asked).toEqual([{ path: '/s', query: { q: 'x', count: '10', offset: '1' }, token: 'k' }])
  })

  it('asks google', async () => {
    const { url, asked } = await service({
      items: [
        { title: 'One', link: 'https://one.test/', snippet: 'first' },
        { title: 'Two', link: 'https://two.test/', snippet: 'second' },
      ],
    })
    expect(await search({ provider: 'google', url, apiKey: 'k', engineId: 'e' }, 'x', 11)).toBe(answer)
    expect(asked[0]!.query).toEqual({ q: 'x', start: '11', num: '10', key: 'k', cx: 'e' })
  })

  it.each([
    [{ items: [] }, 200, 'Nothing was found.'],
    [{}, 200, 'Nothing was found.'],
    [
      'not json',
      200,
      'ERROR: google_search: the search failed: the answer of the search service could not be understood',
    ],
    [
      { items: 'x' },
      200,
      'ERROR: google_search: the search failed: the answer of the search service could not be understood',
    ],
    ['no', 429, /^ERROR: google_search: the search failed: 127\.0\.0\.1:\d+ answered 429/],
  ])('answers %j with status %i by %s', async (body, status, expected) => {
    const { url } = await service(body, status)
    expect(await search({ provider: 'google', url, apiKey: 'k', engineId: 'e' })).toMatch(expected)
  })

  it('says what the config lacks', async () => {
    expect(await search({ provider: 'searxng' })).toContain('tools.web.search needs url')
    expect(await search({ provider: 'brave' })).toContain('tools.web.search needs api_key_env')
    expect(await search({ provider: 'google', apiKey: 'k' })).toContain('tools.web.search needs engine_id')
  })

  it('shows what would be searched for, and asks nobody else when that is denied', async () => {
    const { url, asked } = await service({ results: [] })
    const denied = contextFor({} as ToolContext['workspace'], 'deny')
    const result = await googleSearch(createWebSearch({ provider: 'searxng', url })).run(
      { q: 'our secret' },
      denied,
    )
    expect(result.content).toBe("ERROR: Permission denied: search for 'our secret'?")
    expect(denied.asked).toMatchObject([{ access: 'network', detail: 'search the web for: our secret' }])
    expect(asked).toEqual([])
  })
})
