import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { INITIALIZE, postMcp } from '../support/mcp/http-agent.ts'
import { rawHttp } from '../support/raw-http.ts'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

let stage: Stage<AnyServer>
let base: string
let token: string
beforeAll(async () => {
  stage = await createStageHere({ config: '[limits]\nhttp_body_bytes = 20000\n', http: true })
  base = stage.server.http
  token = (await stage.as('bob', ['token', 'new'])).stdout.trim()
})
afterAll(() => stage[Symbol.asyncDispose]())

const post = (body: unknown, headers: Record<string, string> = {}) => postMcp(base, token, body, headers)

describe('what is no message', () => {
  test.each([
    ['no JSON', '{"jsonrpc": ', 400],
    ['nothing', '', 400],
    ['a batch', [INITIALIZE, INITIALIZE], 400],
    ['a word', '"initialize"', 400],
    ['null', 'null', 400],
    ['no method', { jsonrpc: '2.0', id: 1 }, 400],
    ['a method that is an object', { jsonrpc: '2.0', id: 1, method: { a: 1 } }, 400],
    ['nested deeper than any message', '['.repeat(5_000) + ']'.repeat(5_000), 400],
    ['an object nested deeper', `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`, 400],
    ['binary', '\u0000\u0001\ufffd', 400],
    ['more than a body may have', JSON.stringify({ ...INITIALIZE, x: 'x'.repeat(20_000) }), 413],
  ])('%s: an error, and the server goes on', async (_what, body, status) => {
    const response = await post(body)
    expect([response.status, (await response.text()).length]).toEqual([status, expect.any(Number)])
    expect((await post(INITIALIZE)).status).toBe(200)
  })

  test('a body that never ends is cut off where it is too long', async () => {
    using raw = await rawHttp(base)
    raw.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    raw.write(`8000\r\n${'x'.repeat(0x8000)}\r\n`)
    expect((await raw.closed()).statuses).toEqual([413])
  })

  test('a client that goes away in the middle leaves nothing behind', async () => {
    {
      using raw = await rawHttp(base)
      raw.write(
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Length: 500\r\n\r\n{"json`,
      )
    }
    expect((await post(INITIALIZE)).status).toBe(200)
    expect(stage.server.stderr()).not.toContain('an HTTP request failed')
  })

  test('a page in a browser is refused with a right token', async () => {
    const response = await post(INITIALIZE, { origin: 'http://localhost:6274' })
    expect(response.status).toBe(403)
    const preflight = await fetch(`${base}/mcp`, {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:6274' },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([403, null])
  })
})
