import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Backend, createModel } from '../../../src/models/providers.ts'
import type { ModelRequest } from '../../../src/wrap/loop/model.ts'
import { userContent } from '../../../src/wrap/prompt.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import {
  collect,
  definition,
  sampleConfig,
  samplePrompt,
  sampleRequest,
} from '../../support/model-request.ts'
import { eventStream, geminiWire, responsesAnswer, responsesWire } from '../../support/hosted-wires.ts'
import { type ModelServer, type Script, startModelServer, status } from '../../support/model-server.ts'

interface Block {
  readonly text?: string
  readonly cache_control?: object
}

describe('a hosted model', () => {
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

  const oneCall = (call: object): ModelRequest['messages'] => [
    { role: 'assistant', text: '', calls: [{ id: 'c1', name: 'Grep', arguments: '{"q":"x"}', ...call }] },
    { role: 'tool', call: 'c1', name: 'Grep', content: 'a.ts:1: x' },
  ]

  const start = (usage: object = {}) => ({
    type: 'message_start',
    message: {
      id: 'm',
      model: 'm-1',
      content: [],
      usage: { input_tokens: 21, output_tokens: 1, ...usage },
    },
  })
  const block = (index: number, content_block: object, ...deltas: readonly object[]) => [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
  const end = (stop_reason: string) => [
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ]
  const call = { type: 'tool_use', id: 'toolu_1', name: 'Grep', input: {} }
  const json = (partial_json: string) => ({ type: 'input_json_delta', partial_json })
  const answer = eventStream(
    start(),
    ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Let me look.' }),
    ...block(1, call, json('{"q":'), json('"x"}')),
    ...end('tool_use'),
  )

  test('Anthropic receives the prompt in its own format and returns text, calls and usage', async () => {
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

  test('an Anthropic request marks tools and system text for the cache, and cached tokens are reported', async () => {
    const cached = { cache_read_input_tokens: 900, cache_creation_input_tokens: 79 }
    server.play(eventStream(start(cached), ...end('end_turn')))
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

  test('an Anthropic request marks for the cache a block that the next request contains too', async () => {
    const rows = (count: number): string =>
      Array.from({ length: count }, (_, row) => `ann: row ${row} of what was said here`).join('\n')
    const sent = async (context: string, messages: ModelRequest['messages'] = []) => {
      server.play(answer)
      const late = '\n\nann is asking you'
      const prompt = samplePrompt({ context: context + late, stablePrefix: context.length })
      await ask('anthropic', { ...sampleRequest({ messages }), prompt })
      const all = server.requests.at(-1)!.body.messages as readonly { readonly content: readonly Block[] }[]
      expect(all[0]!.content.map(({ text }) => text).join('')).toBe(userContent(prompt))
      return all
    }
    const [first] = await sent(rows(500))
    const [second, , results] = await sent(rows(540), oneCall({}))
    const marked = (blocks: readonly Block[]) => blocks.filter((block) => block.cache_control)
    const [mark] = marked(first!.content)
    expect(first!.content.at(-2)).toBe(mark)
    expect(second!.content.find(({ text }) => text === mark!.text)).toBeDefined()
    expect(second!.content.slice(0, first!.content.length - 1).map(({ text }) => text)).toEqual(
      first!.content.slice(0, -1).map(({ text }) => text),
    )
    expect(marked(second!.content)).toHaveLength(1)
    expect(marked(results!.content)).toHaveLength(1)
  })

  test('an OpenAI request has a hash of the room as its cache key', async () => {
    const keys: unknown[] = []
    for (const room of ['den', 'den', 'hall', undefined]) {
      server.play(answer)
      // The answer is of another provider: only the request counts.
      await ask('openai', { ...sampleRequest(), ...(room && { room }) }).catch(() => undefined)
      keys.push(server.requests.at(-1)!.body['prompt_cache_key'])
    }
    expect(keys[0]).toMatch(/^[\w-]{43}$/)
    expect(keys[1]).toBe(keys[0])
    expect(keys[2]).not.toBe(keys[0])
    expect(keys[3]).toBeUndefined()
  })

  test('Anthropic gets a thought back with its signature before the call that followed it', async () => {
    const thinking = { type: 'thinking', thinking: '', signature: '' }
    const hidden = { type: 'redacted_thinking', data: 'aGlkZGVu' }
    server.play(
      eventStream(
        start(),
        ...block(
          0,
          thinking,
          { type: 'thinking_delta', thinking: 'Search, then.' },
          { type: 'signature_delta', signature: 'c2ln' },
        ),
        ...block(1, hidden),
        ...block(2, call, json('{"q":"x"}')),
        ...end('tool_use'),
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

    test('Gemini returns text, calls and usage, and gets a thought signature back with its call', async () => {
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
  })
})

async function ask(script: Script, change: Parameters<typeof sampleConfig>[0] = {}) {
  await using server = await startModelServer()
  server.play(script)
  const model = createModel(
    sampleConfig({ backend: 'openai', api: 'responses', endpoint: server.endpoint, ...change }),
  )
  return await collect(model.stream(sampleRequest({}, 'Grep'), new AbortController().signal))
}

test('a call in a Responses stream is read with its usage', async () => {
  expect(await ask(responsesWire.calls('Grep', { q: 'x' }))).toMatchObject([
    { type: 'call', call: { id: 'call_1', name: 'Grep', arguments: '{"q":"x"}' } },
    { type: 'finish', reason: 'calls', usage: { input: 21, cached: 5, output: 9 } },
  ])
})

test('a thought in a Responses stream keeps its encrypted content', async () => {
  const item = { type: 'reasoning', id: 'rs_1', summary: [] }
  const events = await ask(
    responsesAnswer(
      { type: 'response.output_item.added', item },
      { type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', summary_index: 0, delta: 'hm' },
      { type: 'response.output_item.done', item: { ...item, encrypted_content: 'sealed' } },
    ),
  )
  expect(events).toMatchObject([
    { type: 'thinking', text: 'hm' },
    { thought: { text: 'hm', providerData: { openai: { reasoningEncryptedContent: 'sealed' } } } },
    { type: 'finish', reason: 'stop' },
  ])
})

test('a failed response rejects with the message of the provider', async () => {
  const failed = { type: 'response.failed', response: { error: { code: 'x', message: 'out of luck' } } }
  await expect(ask(eventStream(failed))).rejects.toThrow(/out of luck/)
})

test.each([
  [404, 'This model is only supported in v1/responses', /api = "responses"/],
  [400, 'API key not valid. Please pass a valid API key.', /wants a key/],
  [400, 'Your credit balance is too low to access the API', /no credit left/],
])('a refusal with status %i and %j is explained by its likely cause', async (code, message, sentence) => {
  await expect(ask(status(code, message), { api: 'chat' })).rejects.toThrow(sentence)
})

test('a malformed function call of Gemini is a retryable error', async () => {
  const script = eventStream({ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] })
  await expect(ask(script, { backend: 'gemini', api: 'chat' })).rejects.toMatchObject({ retryable: true })
})

/** The parameters of a tool as Gemini receives them. */
async function sent(parameters: JsonObject): Promise<unknown> {
  await using server = await startModelServer()
  server.play(geminiWire.says('ok'))
  const config = sampleConfig({ backend: 'gemini', endpoint: server.endpoint, apiKey: 'k', model: 'm-1' })
  const request = sampleRequest({ tools: [{ ...definition('Grep'), parameters }] })
  await collect(createModel(config).stream(request, new AbortController().signal))
  const [group] = server.requests[0]!.body.tools as unknown as [
    { functionDeclarations: [{ parameters: unknown }] },
  ]
  return group.functionDeclarations[0].parameters
}

const withValue = (value: JsonObject): JsonObject => ({ type: 'object', properties: { value } })
const valueSent = async (value: JsonObject): Promise<unknown> =>
  ((await sent(withValue(value))) as { properties: { value: unknown } }).properties.value

test.each([
  [
    'numbers as texts, as the SDK does',
    { enum: [1, 2] },
    { type: 'number', format: 'enum', enum: ['1', '2'] },
  ],
  ['mixed values as texts', { enum: [1, 'auto', true] }, { type: 'string', enum: ['1', 'auto', 'true'] }],
  [
    'mixed values with null as texts that may be absent',
    { enum: [1, 'auto', null] },
    { type: 'string', nullable: true, enum: ['1', 'auto'] },
  ],
  ['values of another type than is named', { type: 'integer', enum: ['a'] }, { type: 'string', enum: ['a'] }],
  ['no empty list of values', { type: 'string', enum: [] }, { type: 'string' }],
  ['an object as a constant', { const: { a: 1 } }, { type: 'string', enum: ['{"a":1}'] }],
  ['null alone', { type: 'string', enum: [null] }, { type: 'string' }],
])('a schema with an enum reaches Gemini in the form that Gemini accepts: %s', async (_, value, expected) => {
  expect(await valueSent(value as JsonObject)).toEqual(expected)
  expect(await valueSent({ type: 'array', items: value })).toEqual({ type: 'array', items: expected })
})

test('a recursive type reaches Gemini as a plain object at the point of recursion', async () => {
  const node = {
    type: 'object',
    properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node', description: 'the next one' } },
  }
  expect(await sent({ ...withValue({ $ref: '#/$defs/node' }), $defs: { node } })).toEqual({
    type: 'object',
    properties: {
      value: {
        type: 'object',
        properties: { name: { type: 'string' }, next: { type: 'object', description: 'the next one' } },
      },
    },
  })
})

test('mutually recursive types and dangling references reach Gemini as plain objects', async () => {
  const refTo = (name: string): JsonObject => ({
    type: 'object',
    properties: { other: { anyOf: [{ $ref: `#/definitions/${name}` }, { enum: [1, 'a'] }] } },
  })
  const definitions = { a: refTo('b'), b: refTo('a') }
  const values = { type: 'string', enum: ['1', 'a'] }
  const b = { type: 'object', properties: { other: { anyOf: [{ type: 'object' }, values] } } }
  const a = { type: 'object', properties: { other: { anyOf: [b, values] } } }
  expect(await sent({ ...withValue({ $ref: '#/definitions/a' }), definitions })).toEqual(withValue(a))
  for (const $ref of ['#', '#/$defs/none', '#/properties/value', 'https://example.org/x', '#/$defs/%'])
    expect(await sent(withValue({ $ref }))).toEqual(withValue({ type: 'object' }))
})

test('an encoded reference in a schema reaches Gemini as the definition that it names', async () => {
  const $defs = { 'a/b c': { type: 'integer' } }
  expect(await sent({ ...withValue({ $ref: '#/$defs/a~1b%20c' }), $defs })).toEqual(
    withValue({ type: 'integer' }),
  )
})
