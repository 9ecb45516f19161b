import type { RequestListener } from 'node:http'
import { describe, expect, test } from 'vitest'
import { WebError, type WebSearch } from '../../src/tools/web.ts'
import { startSite } from '../support/site.ts'

/** What one provider does in its own way. */
export interface Examinee {
  /** A search at this address, with the key `KEY` where the provider has one. It waits a second for a byte. */
  readonly search: (url: string) => WebSearch
  /** An answer with these results, as the provider writes it; a result may be anything. */
  readonly answer: (results: readonly unknown[]) => unknown
  /** One result, as the provider writes it. */
  readonly result: (hit: {
    readonly title: string | null
    readonly url: string
    readonly snippet?: string
  }) => unknown
}

/** What no message may hold. */
export const KEY = 'sk-very-secret'

const never = new AbortController().signal
const cats = { title: 'Cats', url: 'https://cats.test/', snippet: 'All about cats' }

/** What every adapter of `WebSearch` must do, at a server that speaks the provider's wire format. */
export function webSearchExam(provider: string, { search, answer, result }: Examinee): void {
  async function found(serve: RequestListener, signal: AbortSignal = never) {
    await using site = await startSite(serve)
    return await search(`http://127.0.0.1:${site.port}/`).find({ words: 'cats & dogs', start: 1 }, signal)
  }
  const sends =
    (body: unknown, status = 200, headers: Record<string, string> = {}): RequestListener =>
    (_request, response) =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(typeof body === 'string' ? body : JSON.stringify(body))
  const failure = (serve: RequestListener, signal?: AbortSignal): Promise<unknown> =>
    found(serve, signal).then(
      () => 'it found something',
      (error: unknown) => error,
    )

  describe(`the search of ${provider}`, () => {
    test('a web search states its provider and host', () => {
      expect(search('http://searches.test:8888/x')).toMatchObject({ provider, host: 'searches.test:8888' })
    })

    test('a web search gives the results in order', async () => {
      const dogs = { title: 'Dogs', url: 'https://dogs.test/', snippet: '' }
      expect(await found(sends(answer([result(cats), result(dogs)])))).toEqual([cats, dogs])
    })

    test('a web search without results gives an empty list', async () => {
      expect(await found(sends(answer([])))).toEqual([])
    })

    test('a web search keeps the valid results among invalid ones', async () => {
      const odd = [null, 5, {}, { title: 'no address' }, result({ title: null, url: cats.url }), result(cats)]
      const untitled = { title: '', url: cats.url, snippet: '' }
      expect(await found(sends(answer(odd)))).toEqual([untitled, cats])
    })

    test('a web search gives at most twenty results', async () => {
      const many = Array.from({ length: 500 }, () => result(cats))
      expect(await found(sends(answer(many)))).toHaveLength(20)
    })

    test.each([401, 403, 429, 500, 418])(
      'a web search that answers %i gives an error without the key',
      async (status) => {
        const error = await failure(sends(KEY, status))
        expect(error).toBeInstanceOf(WebError)
        expect(String(error)).toContain(`answered ${status}`)
        expect(JSON.stringify([String(error), (error as Error).cause])).not.toContain(KEY)
      },
    )

    test('a web search follows no redirect', async () => {
      await using elsewhere = await startSite(sends(answer([result(cats)])))
      const error = await failure(sends('', 302, { location: `http://127.0.0.1:${elsewhere.port}/` }))
      expect(String(error)).toContain('an admin must write the address it redirects to')
      expect(elsewhere.connections()).toBe(0)
    })

    test.each([
      ['no JSON', '<html>'],
      ['JSON of something else', { error: 'x' }],
      ['null', 'null'],
      ['more than it may', answer(['x'.repeat(3 * 1024 * 1024)])],
    ])('a web search that answers with %s gives an error', async (_what, body) => {
      const error = await failure(sends(body))
      expect(error).toBeInstanceOf(WebError)
      expect(String(error)).toContain('did not answer as a search does')
    })

    test('a web search ends with an error if the server sends nothing for too long', async () => {
      expect(await failure(() => {})).toEqual(new WebError('the server sent nothing for 1 s'))
    })

    test('a web search gives an error if its server takes no connections', async () => {
      const gone = await startSite(() => {})
      await gone[Symbol.asyncDispose]()
      const asking = search(`http://127.0.0.1:${gone.port}/`).find({ words: 'x', start: 1 }, never)
      await expect(asking).rejects.toEqual(new WebError(`127.0.0.1:${gone.port} takes no connections`))
    })

    test("a web search ends with the reason of the caller's abort", async () => {
      const stop = new AbortController()
      const error = await failure(() => stop.abort(new Error('enough')), stop.signal)
      expect(error).toEqual(new Error('enough'))
    })
  })
}
