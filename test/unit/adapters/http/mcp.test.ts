import { expect, test } from 'vitest'
import { createHttpServer } from '../../../../src/adapters/http/server.ts'
import type { Person, PersonId } from '../../../../src/chat/people/person.ts'
import { createDeferred } from '../../../../src/lib/deferred.ts'
import { collectGarbage } from '../../../support/collect-garbage.ts'

const PERSON: Person = { id: 'p1' as PersonId, name: 'bob', admin: false, guest: false }

test('whoever listens for the end of a request is told, also if garbage was collected meanwhile', async () => {
  const over = createDeferred<void>()
  await using server = createHttpServer({
    limits: {
      connections: 10,
      connections_per_address: 10,
      http_body_bytes: 1_000,
      http_request_s: 20,
      http_idle_s: 60,
      queue_bytes: 1_000,
      stall_s: 30,
    },
    settings: () => ({ hosts: [], origins: [], proxies: [] }),
    visitors: { failed: () => 0 },
    handler: {
      identify: async () => PERSON,
      whyNotReady: async () => undefined,
      cameBack: async () => ({ status: 400, text: '' }),
      metrics: async () => ({ type: 'text/plain', text: '' }),
      mayReadMetrics: () => false,
      async mcp(request) {
        if (request.method === 'DELETE') return new Response(null)
        request.signal.addEventListener('abort', () => over.resolve())
        // A stream on which nothing comes.
        return new Response(new ReadableStream({ start() {} }))
      },
    },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const { port } = await server.listen('127.0.0.1', 0)
  const client = new AbortController()
  const headers = { authorization: 'Bearer token' }
  const url = `http://127.0.0.1:${port}/mcp`
  // Code that ran often holds less than code that ran once.
  for (let i = 0; i < 3_000; i++) await fetch(url, { method: 'DELETE', headers })
  const response = await fetch(url, { headers, signal: client.signal })
  expect(response.status).toBe(200)
  await collectGarbage()
  client.abort()
  await over.promise
})
