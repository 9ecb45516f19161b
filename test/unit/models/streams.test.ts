import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Backend, createModel } from '../../../src/models/providers.ts'
import { MODEL_LIMITS } from '../../../src/models/provider.ts'
import { LimitError, limitedFetch } from '../../../src/models/fetch.ts'
import { collect, sampleConfig, sampleRequest } from '../../support/model-request.ts'
import {
  type ModelServer,
  type Script,
  endsEarly,
  fallsSilent,
  raw,
  says,
  startModelServer,
  status,
} from '../../support/model-server.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { eventStream } from '../../support/hosted-wires.ts'
import { part } from '../../support/ollama-wire.ts'

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

  test('a stream that ends without a finish reason is a retryable error', async () => {
    expect(await failureOf(backend, script)).toMatchObject({
      message: 'qwen: the answer was cut off in the middle; ask again',
      retryable: true,
    })
  })

  test.each([
    ['nothing', ''],
    ['a list of nothing', '[]\n\n'],
  ])('a stream of %s is a retryable error', async (_what, body) => {
    expect(await failureOf(backend, raw(body))).toMatchObject({ name: 'ModelError', retryable: true })
  })
})

test.each([
  ['302', 'answers with a redirect (status 302), which is not followed; check endpoint'],
  ['204', 'answers with status 204 and nothing else; check endpoint'],
])('an answer with status %s is an error that is not retryable', async (status, sentence) => {
  for (const backend of ['openai', 'ollama'] as const) {
    const error = await failureOf(backend, (response) => {
      response.writeHead(Number(status), status === '302' ? { location: 'http://127.0.0.1:1/' } : {})
      response.end()
    })
    expect(error).toMatchObject({ retryable: false })
    expect((error as Error).message).toContain(sentence)
  }
})

test.each([
  ['429 with a time', { 'retry-after': '3600' }, 'rate_limit_exceeded', true, 3_600_000, 'try again in 1h'],
  ['429 without one', {}, 'rate_limit_exceeded', true, undefined, 'try again in a while'],
  ['429 of an empty account', {}, 'insufficient_quota', false, undefined, 'has no credit left'],
])(
  'an answer with status %s says whether and when to try again',
  async (_what, headers, code, retryable, retryAfterMs, sentence) => {
    const error = await failureOf('openai', (response) => {
      response.writeHead(429, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify({ error: { message: 'no', code } }))
    })
    expect(error).toMatchObject({ retryable, retryAfterMs })
    expect((error as Error).message).toContain(sentence)
  },
)

test('an answer with status 429 and a date in Retry-After is retryable after that date', async () => {
  const error = await failureOf('ollama', (response) => {
    response.writeHead(429, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() })
    response.end()
  })
  const { retryAfterMs } = error as { retryAfterMs: number }
  expect(retryAfterMs).toBeGreaterThan(30_000)
  expect(retryAfterMs).toBeLessThanOrEqual(60_000)
})

/** Sends what `script` sends, and leaves the answer open. */
const leavesOpen =
  (script: Script): Script =>
  (response, request) =>
    script(Object.assign(response, { end: (bytes: string) => response.write(bytes) }), request)

const line: Script = (response) => {
  response.writeHead(200)
  response.write(`${JSON.stringify(part({ content: 'half' }))}\n`)
}

/** How each backend's server begins an answer and then says no more. */
const BEGINNINGS: readonly (readonly [Backend, Script])[] = [
  ['ollama', line],
  ['llamacpp', fallsSilent('half')],
  ['openai-compatible', fallsSilent('half')],
  ['openai', fallsSilent('half')],
  [
    'anthropic',
    leavesOpen(
      eventStream(
        { type: 'message_start', message: { id: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'half' } },
      ),
    ),
  ],
  ['gemini', leavesOpen(eventStream({ candidates: [{ content: { parts: [{ text: 'half' }] } }] }))],
]

/** Reads the first words of an answer, and then collects all that nothing holds any more. */
async function begin(backend: Backend, script: Script, limits = MODEL_LIMITS) {
  const server = await startModelServer()
  server.always(script)
  const stop = new AbortController()
  const config = sampleConfig({ backend, endpoint: server.endpoint, apiKey: 'key' })
  const events = createModel(config, limits).stream(sampleRequest(), stop.signal)[Symbol.asyncIterator]()
  let first = await events.next()
  // Anthropic tells what it has read before it says anything.
  while (!first.done && first.value.type === 'reported') first = await events.next()
  expect(first).toMatchObject({ value: { type: 'text', text: 'half' } })
  await collectGarbage()
  await new Promise(setImmediate)
  await collectGarbage()
  return { server, stop, next: () => events.next() }
}

test.each(BEGINNINGS)(
  'a stalled answer of %s ends when its signal aborts, and its connection is closed',
  async (backend, script) => {
    const { server, stop, next } = await begin(backend, script)
    await using _ = server
    const waiting = next()
    const reason = new Error('stopped')
    stop.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    await server.abandoned()
  },
)

test('a stalled answer fails after the idle limit', async () => {
  const limits = { ...MODEL_LIMITS, idleMs: 500 }
  const { server, next } = await begin('openai-compatible', fallsSilent('half'), limits)
  await using _ = server
  await expect(next()).rejects.toThrow(
    'qwen: the server stopped sending in the middle of its answer; the request was ended',
  )
  await server.abandoned()
})

describe('a fetch with limits', () => {
  let server: ModelServer

  beforeEach(async () => {
    server = await startModelServer()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })

  afterEach(async () => {
    vi.useRealTimers()
    await server[Symbol.asyncDispose]()
  })

  const model = () =>
    createModel(sampleConfig({ endpoint: server.endpoint }), { ...MODEL_LIMITS, idleMs: 1000 })

  /** Timers of ours: the HTTP client has some of its own, which last as long as its connections. */
  const timersOf = async (work: () => Promise<unknown>): Promise<number> => {
    const set = vi.spyOn(globalThis, 'setTimeout')
    const clear = vi.spyOn(globalThis, 'clearTimeout')
    await work()
    const ours = set.mock.calls.flatMap(([, ms], index) =>
      ms === 1000 ? [set.mock.results[index]!.value as unknown] : [],
    )
    const cleared = new Set(clear.mock.calls.map(([timer]) => timer as unknown))
    vi.restoreAllMocks()
    expect(ours.length).toBeGreaterThan(0)
    return ours.filter((timer) => !cleared.has(timer)).length
  }

  test('the idle limit restarts with each received chunk', async () => {
    let send!: (text: string) => void
    server.play((response) => {
      response.writeHead(200)
      send = (text) => void response.write(text)
      send('one')
    })
    const response = await limitedFetch({ ...MODEL_LIMITS, idleMs: 1000 })(server.endpoint)
    const reader = response.body!.getReader()
    for (const next of ['two', 'three', 'four']) {
      expect((await reader.read()).done).toBe(false)
      await vi.advanceTimersByTimeAsync(900)
      send(next)
    }
    expect((await reader.read()).done).toBe(false)
    const waiting = reader.read()
    const failed = expect(waiting).rejects.toBeInstanceOf(LimitError)
    await vi.advanceTimersByTimeAsync(1000)
    await failed
  })

  test.each([
    ['a whole answer', says('hello')],
    ['an error', status(500)],
  ])('a request leaves no timer behind after %s', async (_what, script) => {
    server.play(script)
    const asking = () =>
      collect(model().stream(sampleRequest(), new AbortController().signal)).catch(() => {})
    expect(await timersOf(asking)).toBe(0)
  })

  test('a request leaves no timer behind if its consumer stops reading', async () => {
    server.play(fallsSilent('Once'))
    const readOne = async (): Promise<void> => {
      for await (const event of model().stream(sampleRequest(), new AbortController().signal)) {
        expect(event.type).toBe('text')
        break
      }
    }
    expect(await timersOf(readOne)).toBe(0)
  })
})

/** What a server reports: absent for no report at all. */
type Report = (tokens: { input: unknown; output: unknown; cached?: unknown } | undefined) => Script

const chunk = (rest: object): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...rest })}\n\n`

const chat: Report = (report) =>
  raw(
    chunk({ choices: [{ index: 0, delta: { content: 'ok' }, finish_reason: null }] }) +
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
      chunk({
        choices: [],
        usage: report && {
          prompt_tokens: report.input,
          completion_tokens: report.output,
          prompt_tokens_details: { cached_tokens: report.cached },
        },
      }) +
      'data: [DONE]\n\n',
  )

/** The answer "ok" of each backend with such a report. */
const ANSWERS: readonly (readonly [Backend, Report])[] = [
  ['openai', chat],
  ['openai-compatible', chat],
  [
    'anthropic',
    (report) =>
      eventStream(
        {
          type: 'message_start',
          message: {
            ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', content: [] },
            usage: report && {
              input_tokens: report.input,
              output_tokens: 1,
              cache_read_input_tokens: report.cached,
            },
          },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } },
        { type: 'content_block_stop', index: 0 },
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn', stop_sequence: null },
          usage: report && { output_tokens: report.output },
        },
        { type: 'message_stop' },
      ),
  ],
  [
    'gemini',
    (report) =>
      eventStream({
        candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }],
        usageMetadata: report && {
          promptTokenCount: report.input,
          candidatesTokenCount: report.output,
          cachedContentTokenCount: report.cached,
          promptTokensDetails: [{ modality: 'TEXT', tokenCount: report.input }],
        },
      }),
  ],
]

async function ask(backend: Backend, script: Script) {
  await using server = await startModelServer()
  server.play(script)
  const config = sampleConfig({ backend, endpoint: server.endpoint, apiKey: 'key' })
  return await collect(createModel(config).stream(sampleRequest(), new AbortController().signal))
}

describe.each(ANSWERS)('a usage that %s reports', (backend, answer) => {
  test('a usage that the provider reports as text is read as numbers', async () => {
    const events = await ask(backend, answer({ input: '6934', output: '12' }))
    expect(events).toEqual([
      { type: 'text', text: 'ok' },
      { type: 'finish', reason: 'stop', usage: { input: 6934, output: 12 } },
    ])
    const cached = await ask(backend, answer({ input: '6934', output: '12', cached: '900' }))
    expect(cached.at(-1)).toMatchObject({ usage: { cached: 900 } })
  })

  test.each([
    ['of text that is no number', { input: 'Infinity', output: 'NaN' }],
    ['of another base', { input: '0x10', output: '1e3' }],
    ['of objects', { input: { a: 1 }, output: [2] }],
    ['of booleans', { input: true, output: false }],
    ['of nulls', { input: null, output: null }],
    ['that is missing', undefined],
  ])('a usage %s is left out, and the answer is complete', async (_what, report) => {
    const events = await ask(backend, answer(report))
    expect(events).toEqual([
      { type: 'text', text: 'ok' },
      { type: 'finish', reason: 'stop' },
    ])
  })
})
