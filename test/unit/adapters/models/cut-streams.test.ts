import { describe, expect, it } from 'vitest'
import { createModel, type Backend } from '../../../../src/adapters/models/index.ts'
import { collect, sampleConfig, sampleRequest } from '../../../support/model-request.ts'
import { endsEarly, raw, startModelServer, type Script } from '../../../support/model-server.ts'

const half = {
  openai: endsEarly({ text: 'one two' }),
  'openai-compatible': endsEarly({ text: 'one two' }),
  gemini: raw('data: {"candidates":[{"content":{"role":"model","parts":[{"text":"one two"}]}}]}\n\n'),
  anthropic: raw(
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m","usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
  ),
  ollama: raw('{"message":{"content":"one two"},"done":false}\n', 'application/x-ndjson'),
} satisfies Partial<Record<Backend, Script>>

async function failureOf(backend: Backend, script: Script): Promise<unknown> {
  await using server = await startModelServer()
  server.play(script)
  const config = sampleConfig({ backend, endpoint: server.endpoint, apiKey: 'key' })
  return await collect(createModel(config).stream(sampleRequest(), new AbortController().signal)).catch(
    (error: unknown) => error,
  )
}

describe.each(Object.entries(half))('a stream of %s', (name, script) => {
  const backend = name as keyof typeof half

  it('that ends without a reason is a failure that may be tried again', async () => {
    expect(await failureOf(backend, script)).toMatchObject({
      message: 'qwen: the answer was cut off in the middle; ask again',
      retryable: true,
    })
  })

  it.each([
    ['nothing', ''],
    ['a list of nothing', '[]\n\n'],
  ])('of %s is no answer', async (_what, body) => {
    expect(await failureOf(backend, raw(body))).toMatchObject({ name: 'ModelError', retryable: true })
  })
})

describe('an answer with the status', () => {
  it.each([
    ['302', 'answers with a redirect (status 302), which is not followed; check endpoint'],
    ['204', 'answers with status 204 and nothing else; check endpoint'],
  ])('%s is told as such, and not tried again', async (status, sentence) => {
    for (const backend of ['openai', 'ollama'] as const) {
      const error = await failureOf(backend, (response) => {
        response.writeHead(Number(status), status === '302' ? { location: 'http://127.0.0.1:1/' } : {})
        response.end()
      })
      expect(error).toMatchObject({ retryable: false })
      expect((error as Error).message).toContain(sentence)
    }
  })

  it.each([
    ['429 with a time', { 'retry-after': '3600' }, 'rate_limit_exceeded', true, 3_600_000, 'try again in 1h'],
    ['429 without one', {}, 'rate_limit_exceeded', true, undefined, 'try again in a while'],
    ['429 of an empty account', {}, 'insufficient_quota', false, undefined, 'has no credit left'],
  ])(
    '%s says when it may be tried again',
    async (_what, headers, code, retryable, retryAfterMs, sentence) => {
      const error = await failureOf('openai', (response) => {
        response.writeHead(429, { 'content-type': 'application/json', ...headers })
        response.end(JSON.stringify({ error: { message: 'no', code } }))
      })
      expect(error).toMatchObject({ retryable, retryAfterMs })
      expect((error as Error).message).toContain(sentence)
    },
  )

  it('429 with a date in Retry-After waits until then', async () => {
    const error = await failureOf('ollama', (response) => {
      response.writeHead(429, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() })
      response.end()
    })
    const { retryAfterMs } = error as { retryAfterMs: number }
    expect(retryAfterMs).toBeGreaterThan(30_000)
    expect(retryAfterMs).toBeLessThanOrEqual(60_000)
  })

  it.each([
    '{"object":"error","message":"out of order"}',
    '{"error":"out of order"}',
    '{"message":"out of order"}',
    '{"detail":"out of order"}',
    '[{"error":{"message":"out of order"}}]',
  ])('400 is told in the words of its body: %s', async (body) => {
    const error = await failureOf('openai', (response) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(body)
    })
    expect((error as Error).message).toBe(
      'qwen: the provider refused the request with status 400 (out of order)',
    )
  })
})
