import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MODEL_LIMITS, type ModelLimits } from '../../../../src/adapters/models/provider.ts'
import { createModel, type ModelConfig } from '../../../../src/adapters/models/index.ts'
import { ModelError, type ModelRequest } from '../../../../src/turns/ports.ts'
import { userContent } from '../../../../src/prompt/prompt.ts'
import {
  collect,
  definition,
  sampleConfig,
  samplePrompt,
  sampleRequest,
} from '../../../support/model-request.ts'
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
} from '../../../support/model-server.ts'

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

describe('the request', () => {
  it('is exactly the prompt, the tools and what is needed to stream, and nothing more', async () => {
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

  it('has no tools key and no system message where there are none, and no key where none is configured', async () => {
    server.play(says('ok'))
    const model = createModel(sampleConfig({ endpoint: server.endpoint }))
    const request = sampleRequest({ prompt: samplePrompt({ system: '' }) })
    await collect(model.stream(request, new AbortController().signal))
    const { body, headers } = server.requests[0]!
    expect(body).not.toHaveProperty('tools')
    expect(body.messages).toEqual([{ role: 'user', content: userContent(request.prompt) }])
    expect(headers).not.toHaveProperty('authorization')
  })

  it('carries the steps so far: text, calls with their arguments, results with their ids', async () => {
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
})

describe('the answer', () => {
  it('comes in pieces, with the usage that the provider reports', async () => {
    server.play(answer([{ text: 'Hé' }, { text: 'llo ' }, { text: '👩‍🔬' }], { usage: [123, 45] }))
    expect(await ask(sampleRequest())).toEqual([
      { type: 'text', text: 'Hé' },
      { type: 'text', text: 'llo ' },
      { type: 'text', text: '👩‍🔬' },
      { type: 'finish', reason: 'stop', usage: { input: 123, output: 45 } },
    ])
  })

  it('gives arguments that are no JSON as they came', async () => {
    server.play(calls('Grep', '{"q": oops'))
    expect((await ask(sampleRequest({}, 'Grep')))[0]).toMatchObject({ call: { arguments: '{"q": oops' } })
  })
})

describe('a failure', () => {
  it.each([
    [401, false, 'qwen: the provider refused the key in QWEN_KEY (api_key_env); check it'],
    [403, false, 'qwen: the provider refused the key in QWEN_KEY (api_key_env); check it'],
    [400, false, 'qwen: the provider refused the request with status 400'],
    [429, true, "qwen: the provider's limit of requests is reached; try again in a while"],
    [500, true, 'qwen: the provider failed with status 500; try again in a while'],
    [503, true, 'qwen: the provider failed with status 503; try again in a while'],
  ])('of status %i is retryable: %s, and says what to do', async (code, retryable, sentence) => {
    server.play(status(code, `no, not with ${KEY}`))
    const error = await failureOf(sampleRequest())
    expect(error.retryable).toBe(retryable)
    expect(error.message).toBe(`${sentence} (no, not with [key])`)
    expect(error.facts).toMatchObject({ status: code })
  })

  it('never quotes the key, whatever it looks like and wherever the provider puts it', async () => {
    const apiKey = 'hunter two'
    server.play(status(400, `bad key: ${apiKey}!`), raw(`data: {"error":{"message":"${apiKey}"}}\n\n`))
    for (const _ of [1, 2]) {
      const { message, facts } = await failureOf(sampleRequest(), { apiKey })
      expect(`${message} ${JSON.stringify(facts)}`).not.toContain(apiKey)
      expect(message).toContain('[key]')
    }
  })

  it('of status 404 names the model and the endpoint', async () => {
    server.play(status(404, 'model not found'))
    const { message, retryable } = await failureOf(sampleRequest())
    expect(message).toBe(
      `qwen: ${server.endpoint}/v1 knows no model called qwen3:8b; check model and endpoint (model not found)`,
    )
    expect(retryable).toBe(false)
  })

  it('of status 401 without a key names the variable that is empty, or the setting that is missing', async () => {
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

  it('names the address where nothing answers', async () => {
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
  ])('tells of %s in the stream', async (_what, body, quoted) => {
    server.play(raw(body))
    const { message } = await failureOf(sampleRequest())
    expect(message).toBe(
      `qwen: the server at ${server.endpoint}/v1 sent something that is not a model's answer${quoted}`,
    )
  })

  it('passes on what a provider reports in the middle of a stream, on one line, without the key', async () => {
    server.play(raw(`data: {"error":{"message":"out of\\u001b[31m memory\\nwith ${KEY}"}}\n\n`))
    const { message } = await failureOf(sampleRequest())
    expect(message).toBe('qwen: the provider reported: out of memory with [key]')
  })

  it('gives up on a server that never answers', async () => {
    server.play(hang())
    const { message, retryable } = await failureOf(sampleRequest(), {}, { idleMs: 30 })
    expect(message).toBe('qwen: the server fell silent in the middle; it was given up')
    expect(retryable).toBe(true)
    await server.abandoned()
  })

  it('stops a token of ten megabytes long before its end', async () => {
    server.play(endlessToken())
    const { message, retryable } = await failureOf(sampleRequest())
    expect(message).toBe('qwen: the server sent more than an answer can hold; it was stopped')
    expect(retryable).toBe(false)
    await server.abandoned()
  })

  it('stops an answer that is too long as a whole', async () => {
    server.play(says(...Array.from({ length: 50 }, () => 'word '.repeat(20))))
    const { message } = await failureOf(sampleRequest(), {}, { answerBytes: 4096 })
    expect(message).toBe('qwen: the server sent more than an answer can hold; it was stopped')
  })
})

describe('stopping', () => {
  it('breaks the request off when nobody reads on', async () => {
    server.play(fallsSilent('Once', 'upon'))
    const model = createModel(sampleConfig({ endpoint: server.endpoint }))
    for await (const event of model.stream(sampleRequest(), new AbortController().signal)) {
      expect(event.type).toBe('text')
      break
    }
    await server.abandoned()
  })
})

describe('an endpoint', () => {
  it.each([
    [undefined, 'model qwen: backend openai-compatible needs an endpoint'],
    ['localhost:8000', 'model qwen: endpoint is not an address'],
    ['ftp://host', 'model qwen: endpoint is not an address'],
    ['http://me:pass@host', 'model qwen: endpoint must not hold a password'],
  ])('%s is refused with a sentence that says what to write', (endpoint, sentence) => {
    const { endpoint: _, ...config } = sampleConfig()
    expect(() => createModel(endpoint === undefined ? config : { ...config, endpoint })).toThrow(sentence)
  })
})
