import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createModel, type Backend } from '../../../../src/adapters/models/index.ts'
import type { ModelRequest } from '../../../../src/turns/ports.ts'
import { userContent } from '../../../../src/prompt/prompt.ts'
import { collect, definition, sampleConfig, sampleRequest } from '../../../support/model-request.ts'
import { eventStream } from '../../../support/hosted-wires.ts'
import { startModelServer, status, type ModelServer } from '../../../support/model-server.ts'

let server: ModelServer

beforeEach(async () => {
  server = await startModelServer()
})

afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

const KEY = 'sk-ant-0123456789abcdef'

function ask(backend: Backend, request: ModelRequest) {
  const config = sampleConfig({
    backend,
    endpoint: server.endpoint,
    apiKey: KEY,
    apiKeyEnv: 'HOSTED_KEY',
    model: 'm-1',
  })
  return collect(createModel(config).stream(request, new AbortController().signal))
}

/** What happened in a first step: one call with its answer. */
const oneCall = (call: object): ModelRequest['messages'] => [
  { role: 'assistant', text: '', calls: [{ id: 'c1', name: 'Grep', arguments: '{"q":"x"}', ...call }] },
  { role: 'tool', call: 'c1', name: 'Grep', content: 'a.ts:1: x' },
]

describe('anthropic', () => {
  const answer = eventStream(
    {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'm-1',
        content: [],
        usage: { input_tokens: 21, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Let me look.' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'Grep', input: {} },
    },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"q":' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '"x"}' } },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 9 },
    },
    { type: 'message_stop' },
  )

  it('is sent the prompt, the tools and the messages in its own form, and answers with text, calls and usage', async () => {
    server.play(answer)
    const request = sampleRequest({ messages: oneCall({}) }, 'Grep')
    const events = await ask('anthropic', request)
    const { path, headers, body } = server.requests[0]!
    expect(path).toBe('/v1/messages')
    expect(headers['x-api-key']).toBe(KEY)
    expect(body).toMatchObject({
      model: 'm-1',
      max_tokens: 512,
      stream: true,
      system: [{ type: 'text', text: request.prompt.system }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: userContent(request.prompt) }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'Grep', input: { q: 'x' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'a.ts:1: x' }] },
      ],
    })
    const { name, description, parameters } = definition('Grep')
    expect(body.tools).toMatchObject([{ name, description, input_schema: parameters }])
    expect(body.tools).toHaveLength(1)
    expect(events).toMatchObject([
      { type: 'text', text: 'Let me look.' },
      { type: 'call', call: { id: 'toolu_1', name: 'Grep', arguments: '{"q":"x"}' } },
      { type: 'finish', reason: 'calls', usage: { input: 21, output: 9 } },
    ])
  })

  it('marks the end of the tools and of the system text for the cache, and tells what was cached', async () => {
    server.play(
      eventStream(
        {
          type: 'message_start',
          message: {
            ...{ id: 'm', type: 'message', role: 'assistant', model: 'm-1', content: [] },
            usage: {
              input_tokens: 21,
              output_tokens: 1,
              cache_read_input_tokens: 900,
              cache_creation_input_tokens: 79,
            },
          },
        },
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn', stop_sequence: null },
          usage: { output_tokens: 9 },
        },
        { type: 'message_stop' },
      ),
    )
    const events = await ask('anthropic', sampleRequest({}, 'Grep', 'look'))
    const { body } = server.requests[0]!
    const mark = { type: 'ephemeral' }
    expect(body['system']).toMatchObject([{ type: 'text', cache_control: mark }])
    expect(body.tools!.map((one) => (one as { cache_control?: unknown }).cache_control)).toEqual([
      undefined,
      mark,
    ])
    expect(events.at(-1)).toMatchObject({ usage: { input: 1000, cached: 900, output: 9 } })
  })

  it('gets a thought back with its signature, before the call that it led to', async () => {
    server.play(
      eventStream(
        {
          type: 'message_start',
          message: {
            ...{ id: 'm', type: 'message', role: 'assistant', model: 'm-1', content: [] },
            usage: { input_tokens: 21, output_tokens: 1 },
          },
        },
        {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'thinking', thinking: '', signature: '' },
        },
        {
          type: 'content_block_delta',
          index: 0,
          delta: { type: 'thinking_delta', thinking: 'Search, then.' },
        },
        { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } },
        { type: 'content_block_stop', index: 0 },
        {
          type: 'content_block_start',
          index: 1,
          content_block: { type: 'redacted_thinking', data: 'aGlkZGVu' },
        },
        { type: 'content_block_stop', index: 1 },
        {
          type: 'content_block_start',
          index: 2,
          content_block: { type: 'tool_use', id: 'toolu_1', name: 'Grep', input: {} },
        },
        {
          type: 'content_block_delta',
          index: 2,
          delta: { type: 'input_json_delta', partial_json: '{"q":"x"}' },
        },
        { type: 'content_block_stop', index: 2 },
        {
          type: 'message_delta',
          delta: { stop_reason: 'tool_use', stop_sequence: null },
          usage: { output_tokens: 9 },
        },
        { type: 'message_stop' },
      ),
      answer,
    )
    const events = await ask('anthropic', sampleRequest({}, 'Grep'))
    expect(events[0]).toEqual({ type: 'thinking', text: 'Search, then.' })
    const thoughts = events.flatMap((event) => (event.type === 'thought' ? [event.thought] : []))
    const [step, result] = oneCall({})
    const messages = [{ ...step, thoughts }, result] as ModelRequest['messages']
    await ask('anthropic', sampleRequest({ messages }, 'Grep'))
    expect(server.requests[1]!.body.messages[1]).toMatchObject({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Search, then.', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'aGlkZGVu' },
        { type: 'tool_use', id: 'c1' },
      ],
    })
  })

  it('tells of a key that is refused without showing it', async () => {
    const error = { type: 'authentication_error', message: `invalid x-api-key ${KEY}` }
    server.play((response) => {
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ type: 'error', error }))
    })
    const asking = ask('anthropic', sampleRequest())
    await expect(asking).rejects.toThrow(
      'qwen: the provider refused the key in HOSTED_KEY (api_key_env); check it (invalid x-api-key [key])',
    )
  })
})

describe('gemini', () => {
  const answer = eventStream(
    { candidates: [{ content: { role: 'model', parts: [{ text: 'Let me look.' }] } }] },
    {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [{ functionCall: { name: 'Grep', args: { q: 'x' } }, thoughtSignature: 'c2lnbmF0dXJl' }],
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 33, candidatesTokenCount: 4, totalTokenCount: 37 },
    },
  )

  it('answers with text, calls and usage, and gets back with a call the signature that came with it', async () => {
    server.play(answer, answer)
    const events = await ask('gemini', sampleRequest({}, 'Grep'))
    const made = events.flatMap((event) => (event.type === 'call' ? [event.call] : []))
    expect(made).toMatchObject([{ name: 'Grep', arguments: '{"q":"x"}' }])
    expect(events[0]).toEqual({ type: 'text', text: 'Let me look.' })
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'calls', usage: { input: 33, output: 4 } })

    const messages = oneCall({ ...made[0]!, id: 'c1' })
    await ask('gemini', sampleRequest({ messages }, 'Grep'))
    const { path, headers, body } = server.requests[1]!
    expect(path).toBe('/models/m-1:streamGenerateContent?alt=sse')
    expect(headers['x-goog-api-key']).toBe(KEY)
    const contents = JSON.stringify(body['contents'])
    expect(contents).toContain('"thoughtSignature":"c2lnbmF0dXJl"')
    expect(contents).toContain('a.ts:1: x')
    expect(body['tools']).toMatchObject([{ functionDeclarations: [{ name: 'Grep' }] }])
    expect(body['generationConfig']).toMatchObject({ maxOutputTokens: 512 })
  })

  it('tells of its limit of requests', async () => {
    server.play(status(429, 'quota'))
    await expect(ask('gemini', sampleRequest())).rejects.toThrow(
      "qwen: the provider's limit of requests is reached",
    )
  })
})
