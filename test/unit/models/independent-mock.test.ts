import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createModel, type Backend } from '../../../src/models/providers.ts'
import type { ModelEvent, ModelRequest } from '../../../src/wrap/loop/model.ts'
import { collect, sampleConfig, sampleRequest } from '../../support/model-request.ts'

/**
 * The wire formats as somebody else reads the providers' pages: what our own servers in these tests say could be wrong in
 * the same way as what asks them.
 */
const mock = new LLMock({ port: 0 })
beforeAll(async () => {
  await mock.start()
})
beforeEach(() => mock.resetMatchCounts().clearFixtures())
afterAll(async () => {
  await mock.stop()
})

/** Each backend, and where its endpoint begins. */
const BACKENDS: readonly (readonly [Backend, path: string])[] = [
  ['openai', '/v1'],
  ['openai-compatible', '/v1'],
  ['anthropic', '/v1'],
  ['gemini', '/v1beta'],
  ['ollama', ''],
]

const USAGE = { prompt_tokens: 21, completion_tokens: 5, input_tokens: 21, output_tokens: 5 }

describe.each(BACKENDS)('%s', (backend, path) => {
  async function ask(request: ModelRequest): Promise<readonly ModelEvent[]> {
    const config = sampleConfig({
      backend,
      endpoint: mock.url + path,
      apiKey: 'sk-1',
      apiKeyEnv: 'KEY',
      model: 'm-1',
    })
    return await collect(createModel(config).stream(request, new AbortController().signal))
  }
  const textOf = (events: readonly ModelEvent[]): string =>
    events.map((event) => (event.type === 'text' ? event.text : '')).join('')

  test('a streamed text arrives whole, with its usage if the provider reports it', async () => {
    mock.onMessage(/hello/, { content: 'Let me look: 日本 🎉.', usage: USAGE })
    const events = await ask(sampleRequest())
    expect(textOf(events)).toBe('Let me look: 日本 🎉.')
    // Of Ollama the mock has no counts.
    const usage = backend === 'ollama' ? {} : { usage: { input: 21, output: 5 } }
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop', ...usage })
  })

  test('a tool call arrives with its arguments, and its result is sent in the next request', async () => {
    const toolCalls = [{ name: 'Grep', arguments: '{"q":"x y"}' }]
    mock.on({ userMessage: /hello/, hasToolResult: false }, { toolCalls })
    mock.on({ hasToolResult: true, toolResultContains: 'a.ts:1' }, { content: 'found' })
    const events = await ask(sampleRequest({}, 'Grep'))
    const { call } = events.find((event) => event.type === 'call')!
    expect({ name: call.name, arguments: JSON.parse(call.arguments) as unknown }).toEqual({
      name: 'Grep',
      arguments: { q: 'x y' },
    })
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'calls' })

    const messages: ModelRequest['messages'] = [
      { role: 'assistant', text: '', calls: [call] },
      { role: 'tool', call: call.id, name: 'Grep', content: 'a.ts:1: x y' },
    ]
    expect(textOf(await ask(sampleRequest({ messages }, 'Grep')))).toBe('found')
  })

  test('the refusal of an overlong prompt is recognized with the window that it names', async () => {
    mock.onMessage(/hello/, { content: 'too late' })
    mock.nextRequestError(400, {
      message:
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
    })
    await expect(ask(sampleRequest())).rejects.toMatchObject({ refusal: { kind: 'too-long', window: 8192 } })
  })

  test('an answer that breaks off is a retryable error', async () => {
    mock.onMessage(
      /hello/,
      { content: 'one two three four five six' },
      { chunkSize: 4, truncateAfterChunks: 3 },
    )
    await expect(ask(sampleRequest())).rejects.toMatchObject({ name: 'ModelError', retryable: true })
  })
})
