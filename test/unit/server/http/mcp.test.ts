import { expect, test } from 'vitest'
import { createDeferred } from '../../../../src/base/jobs/waiting.ts'
import { collectGarbage } from '../../../support/collect-garbage.ts'
import { headers, serveMcp } from '../../../support/serve-mcp.ts'

test('an abort listener of an HTTP request is called even after a garbage collection', async () => {
  const over = createDeferred<void>()
  await using server = await serveMcp(async (request) => {
    if (request.method === 'DELETE') return new Response(null)
    request.signal.addEventListener('abort', () => over.resolve())
    // A stream on which nothing comes.
    return new Response(new ReadableStream({ start() {} }))
  })
  const client = new AbortController()
  const url = `http://127.0.0.1:${server.port}/mcp`
  // Code that ran often holds less than code that ran once.
  for (let i = 0; i < 3_000; i++) await fetch(url, { method: 'DELETE', headers })
  const response = await fetch(url, { headers, signal: client.signal })
  expect(response.status).toBe(200)
  await collectGarbage()
  client.abort()
  await over.promise
})
