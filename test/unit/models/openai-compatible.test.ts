import { afterEach, beforeEach, expect, it } from 'vitest'
import { MODEL_LIMITS, type ModelLimits } from '../../../src/models/provider.ts'
import { createModel, type ModelConfig } from '../../../src/models/providers.ts'
import { ModelError, type ModelRequest } from '../../../src/wrap/loop/model.ts'
import { userContent } from '../../../src/wrap/prompt.ts'
import {
  collect,
  definition,
  sampleConfig,
  samplePrompt,
  sampleRequest,
} from '../../support/model-request.ts'
import {
  answer,
  calls,
  endlessToken,
  fallsSilent,
  hang,
  raw,
  says,
  startModelServer,
  status,
  type ModelServer,
} from '../../support/model-server.ts'

let server: ModelServer

beforeEach(async () => {
  server = await startModelServer()
})

afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

const KEY = 'sk-secret-0123456789abcdef'

function ask(request: ModelRequest, change: Partial<ModelConfig> = {}, limits: Partial<ModelLimits> = {}) {
  const config = sampleConfig({ endpoint: server.endpoint, apiKey: KEY, apiKeyEnv: 'QWEN_KEY', ...change })
  const model = createModel(config, { ...MODEL_LIMITS, ...limits })
  return collect(model.stream(request, new AbortController().signal))
}

/** The error of a request, which must be a `ModelError` without the key in any part of it. */
async function failureOf(...args: Parameters<typeof ask>): Promise<ModelError> {
  const error = await ask(...args).then(
    () => {
      throw new Error('the request should have failed')
    },
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ModelError)
  const failure = error as ModelError
  expect(`${failure.message} ${JSON.stringify(failure.facts)} ${failure.stack}`).not.toContain(KEY)
  return failure
}

it('a chat request contains exactly the prompt, the tools and the streaming options', async () => {
  server.play(says('ok'))
  const request = sampleRequest({}, 'Grep', 'look')
  await ask(request)
  expect(server.requests[0]!.path).toBe('/v1/chat/completions')
  expect(server.requests[0]!.body).toEqual({
    model: 'qwen3:8b',
    max_tokens: 512,
    messages: [
      { role: 'system', content: request.prompt.system },
      { role: 'user', content: userContent(request.prompt) },
    ],
    tools: [
      { type: 'function', function: definition('Grep') },
      { type: 'function', function: definition('look') },
    ],
    stream: true,
    stream_options: { include_usage: true },
  })
  expect(server.requests[0]!.headers.authorization).toBe(`Bearer ${KEY}`)
})

it('a chat request omits tools, system message and key if there are none', async () => {
  server.play(says('ok'))
  const model = createModel(sampleConfig({ endpoint: server.endpoint }))
  const request = sampleRequest({ prompt: samplePrompt({ system: '' }) })
  await collect(model.stream(request, new AbortController().signal))
  const { body, headers } = server.requests[0]!
  expect(body).not.toHaveProperty('tools')
  expect(body.messages).toEqual([{ role: 'user', content: userContent(request.prompt) }])
  expect(headers).not.toHaveProperty('authorization')
})

it('a chat request contains the earlier steps with calls, arguments and result ids', async () => {
  server.play(says('ok'))
  const call = { id: 'c1', name: 'Grep', arguments: '{"q": "ünï"}' }
  const broken = { id: 'c2', name: 'Grep', arguments: '{"q": ' }
  await ask(
    sampleRequest(
      {
        messages: [
          { role: 'assistant', text: 'I look.', calls: [call, broken] },
          { role: 'tool', call: 'c1', name: 'Grep', content: 'a.ts:1: ünï' },
          { role: 'tool', call: 'c2', name: 'Grep', content: 'ERROR: Grep: bad' },
        ],
      },
      'Grep',
    ),
  )
  expect(server.requests[0]!.body.messages.slice(2)).toEqual([
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'Grep', arguments: '{"q":"ünï"}' } },
        { id: 'c2', type: 'function', function: { name: 'Grep', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'a.ts:1: ünï' },
    { role: 'tool', tool_call_id: 'c2', content: 'ERROR: Grep: bad' },
  ])
})

it('an answer arrives in pieces, with the usage that the provider reports', async () => {
  server.play(answer([{ text: 'Hé' }, { text: 'llo ' }, { text: '👩‍🔬' }], { usage: [123, 45] }))
  expect(await ask(sampleRequest())).toEqual([
    { type: 'text', text: 'Hé' },
    { type: 'text', text: 'llo ' },
    { type: 'text', text: '👩‍🔬' },
    { type: 'finish', reason: 'stop', usage: { input: 123, output: 45 } },
  ])
})

it('call arguments that are not JSON are passed on unchanged', async () => {
  server.play(calls('Grep', '{"q": oops'))
  expect((await ask(sampleRequest({}, 'Grep')))[0]).toMatchObject({ call: { arguments: '{"q": oops' } })
})

it.each([
  [401, false, 'qwen: the provider refused the key in QWEN_KEY (api_key_env); check it'],
  [403, false, 'qwen: the provider refused the key in QWEN_KEY (api_key_env); check it'],
  [400, false, 'qwen: the provider refused the request with status 400'],
  [429, true, "qwen: the provider's limit of requests is reached; try again in a while"],
  [500, true, 'qwen: the provider failed with status 500; try again in a while'],
  [503, true, 'qwen: the provider failed with status 503; try again in a while'],
])('a failure with status %i is retryable (%s) and says what to do', async (code, retryable, sentence) => {
  server.play(status(code, `no, not with ${KEY}`))
  const error = await failureOf(sampleRequest())
  expect(error.retryable).toBe(retryable)
  expect(error.message).toBe(`${sentence} (no, not with [key])`)
  expect(error.facts).toMatchObject({ status: code })
})

it('an error never quotes the API key, even if the provider repeats it', async () => {
  const apiKey = 'hunter two'
  server.play(status(400, `bad key: ${apiKey}!`), raw(`data: {"error":{"message":"${apiKey}"}}\n\n`))
  for (const _ of [1, 2]) {
    const { message, facts } = await failureOf(sampleRequest(), { apiKey })
    expect(`${message} ${JSON.stringify(facts)}`).not.toContain(apiKey)
    expect(message).toContain('[key]')
  }
})

it('a failure with status 404 names the model and the endpoint', async () => {
  server.play(status(404, 'model not found'))
  const { message, retryable } = await failureOf(sampleRequest())
  expect(message).toBe(
    `qwen: ${server.endpoint}/v1 knows no model called qwen3:8b; check model and endpoint (model not found)`,
  )
  expect(retryable).toBe(false)
})

it('a failure with status 401 without a key names the empty variable or the missing setting', async () => {
  server.play(status(401), status(401))
  const noKey = createModel(sampleConfig({ endpoint: server.endpoint, apiKeyEnv: 'QWEN_KEY' }))
  const noName = createModel(sampleConfig({ endpoint: server.endpoint }))
  const signal = new AbortController().signal
  await expect(collect(noKey.stream(sampleRequest(), signal))).rejects.toThrow(
    'set the environment variable QWEN_KEY (api_key_env)',
  )
  await expect(collect(noName.stream(sampleRequest(), signal))).rejects.toThrow(
    'name its variable with api_key_env',
  )
})

it('a failure to connect names the address where nothing answers', async () => {
  const closed = await startModelServer()
  await closed[Symbol.asyncDispose]()
  const { message, retryable } = await failureOf(sampleRequest(), {
    backend: 'ollama',
    endpoint: closed.endpoint,
  })
  expect(message).toBe(`qwen: nothing answers at ${closed.endpoint}; is ollama running?`)
  expect(retryable).toBe(false)
})

it.each([
  ['invalid JSON', 'data: {"choices":[{\n\n', ''],
  ['JSON of another shape', 'data: {"choices":"none"}\n\n', ' ({"choices":"none"})'],
])('a stream with %s fails with an error that names the server', async (_what, body, quoted) => {
  server.play(raw(body))
  const { message } = await failureOf(sampleRequest())
  expect(message).toBe(
    `qwen: the server at ${server.endpoint}/v1 sent something that is not a model's answer${quoted}`,
  )
})

it('an error that a provider reports in a stream is passed on as one line, without the key', async () => {
  server.play(raw(`data: {"error":{"message":"out of\\u001b[31m memory\\nwith ${KEY}"}}\n\n`))
  const { message } = await failureOf(sampleRequest())
  expect(message).toBe('qwen: the provider reported: out of memory with [key]')
})

it('a request to a server that never answers fails after the idle limit', async () => {
  server.play(hang())
  const { message, retryable } = await failureOf(sampleRequest(), {}, { idleMs: 500 })
  expect(message).toBe('qwen: the server stopped sending in the middle of its answer; the request was ended')
  expect(retryable).toBe(true)
  await server.abandoned()
})

it('an answer with a token of ten megabytes is stopped before its end', async () => {
  server.play(endlessToken())
  const { message, retryable } = await failureOf(sampleRequest())
  expect(message).toBe('qwen: the server sent more than an answer may have; the request was ended')
  expect(retryable).toBe(false)
  await server.abandoned()
})

it('an answer over the size limit is stopped', async () => {
  server.play(says(...Array.from({ length: 50 }, () => 'word '.repeat(20))))
  const { message } = await failureOf(sampleRequest(), {}, { answerBytes: 4096 })
  expect(message).toBe('qwen: the server sent more than an answer may have; the request was ended')
})

it('a request is aborted when its consumer stops reading', async () => {
  server.play(fallsSilent('Once', 'upon'))
  const model = createModel(sampleConfig({ endpoint: server.endpoint }))
  for await (const event of model.stream(sampleRequest(), new AbortController().signal)) {
    expect(event.type).toBe('text')
    break
  }
  await server.abandoned()
})

it.each([
  [undefined, 'model qwen: backend openai-compatible needs an endpoint'],
  ['localhost:8000', 'model qwen: endpoint is not an address'],
  ['ftp://host', 'model qwen: endpoint is not an address'],
  ['http://me:pass@host', 'model qwen: endpoint must not hold a password'],
])('the endpoint %s is rejected with an error that says what is wrong', (endpoint, sentence) => {
  const { endpoint: _, ...config } = sampleConfig()
  expect(() => createModel(endpoint === undefined ? config : { ...config, endpoint })).toThrow(sentence)
})
