import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createModel, type ModelConfig } from '../../../../src/adapters/models/index.ts'
import { ModelError, type ModelRequest } from '../../../../src/turns/ports.ts'
import { userContent } from '../../../../src/prompt/prompt.ts'
import { shown } from '../../../support/counting-servers.ts'
import { collect, definition, sampleConfig, sampleRequest } from '../../../support/model-request.ts'
import {
  cut,
  raw,
  startModelServer,
  type ModelServer,
  type RecordedRequest,
} from '../../../support/model-server.ts'
import { end, json, jsonLines, part } from '../../../support/ollama-wire.ts'

let server: ModelServer

beforeEach(async () => {
  server = await startModelServer()
})

afterEach(async () => {
  await server[Symbol.asyncDispose]()
})

const modelOf = (change: Partial<ModelConfig> = {}) =>
  createModel(sampleConfig({ backend: 'ollama', endpoint: server.endpoint, ...change }))

const ask = (request: ModelRequest, change: Partial<ModelConfig> = {}) =>
  collect(modelOf(change).stream(request, new AbortController().signal))

async function failureOf(request = sampleRequest()): Promise<ModelError> {
  const error = await ask(request).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ModelError)
  return error as ModelError
}

describe('a request to Ollama', () => {
  it('is exactly the prompt, the tools, the messages and the window, whatever form the endpoint has', async () => {
    server.play(jsonLines(part({ content: 'ok' }), end(1, 1)))
    const request = sampleRequest(
      {
        contextWindow: 8000,
        messages: [
          {
            ...{ role: 'assistant', text: 'I look.', thoughts: [{ text: 'hm' }] },
            calls: [{ id: 'c1', name: 'Grep', arguments: '{"q":"x"}' }],
          },
          { role: 'tool', call: 'c1', name: 'Grep', content: 'a.ts:1: x' },
        ],
      },
      'Grep',
    )
    await ask(request, { endpoint: `${server.endpoint}/v1`, keepAlive: -1 })
    expect(server.requests[0]!.path).toBe('/api/chat')
    expect(server.requests[0]!.body).toEqual({
      model: 'qwen3:8b',
      messages: [
        { role: 'system', content: request.prompt.system },
        { role: 'user', content: userContent(request.prompt) },
        {
          ...{ role: 'assistant', content: 'I look.', thinking: 'hm' },
          tool_calls: [{ function: { name: 'Grep', arguments: { q: 'x' } } }],
        },
        { role: 'tool', tool_name: 'Grep', content: 'a.ts:1: x' },
      ],
      tools: [{ type: 'function', function: definition('Grep') }],
      stream: true,
      truncate: false,
      shift: false,
      options: { num_ctx: 8000, num_predict: 512 },
      keep_alive: -1,
    })
  })
})

describe('an answer of Ollama', () => {
  it('has thoughts, text, calls and usage, and may be cut into any bytes', async () => {
    const lines = [
      part({ thinking: 'Hé' }),
      part({ content: 'I look.' }),
      part({ tool_calls: [{ function: { name: 'Grep', arguments: { q: 'ü' } } }] }),
      part({ tool_calls: [{ id: 'x1', function: { name: 'look' } }] }),
      end(26, 3),
    ]
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    server.play(async (response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      for (let at = 0; at < bytes.length; at += 7) {
        response.write(bytes.subarray(at, at + 7))
        await new Promise(setImmediate)
      }
      response.end()
    })
    expect(await ask(sampleRequest())).toEqual([
      { type: 'thinking', text: 'Hé' },
      { type: 'text', text: 'I look.' },
      { type: 'thought', thought: { text: 'Hé' } },
      { type: 'call', call: { id: 'call_0', name: 'Grep', arguments: '{"q":"ü"}' } },
      { type: 'call', call: { id: 'x1', name: 'look', arguments: '{}' } },
      { type: 'finish', reason: 'calls', usage: { input: 26, output: 3 } },
    ])
  })

  it('that ends at its limit says so; counts that are text are read, and others left out', async () => {
    server.play(
      jsonLines({ ...end(0, 0, 'length'), prompt_eval_count: '26', eval_count: '3' }),
      jsonLines({ ...end(0, 0), prompt_eval_count: 'many' }),
    )
    expect(await ask(sampleRequest())).toEqual([
      { type: 'finish', reason: 'length', usage: { input: 26, output: 3 } },
    ])
    expect(await ask(sampleRequest())).toEqual([{ type: 'finish', reason: 'stop' }])
  })

  it.each([
    [
      'an error in its middle',
      jsonLines(part({ content: 'a' }), { error: 'CUDA out of memory' }),
      'the provider reported: CUDA out of memory',
    ],
    ['no JSON', raw('not json\n'), "sent something that is not a model's answer"],
    ['a list', raw('[]\n'), "sent something that is not a model's answer"],
    ['no end', jsonLines(part({ content: 'a' })), 'ask again'],
    ['a break', cut(), 'ask again'],
    [
      'an unknown model',
      json({ error: "model 'qwen3:8b' not found" }, 404),
      'knows no model called qwen3:8b',
    ],
  ])('with %s is a failure with a sentence', async (_what, script, sentence) => {
    server.play(script)
    expect((await failureOf()).message).toContain(sentence)
  })
})

describe('asked about a model, Ollama', () => {
  const asked: RecordedRequest[] = []
  const facts = async (answer: object) => {
    server.always((response, request) => {
      asked.push(request)
      return json(answer)(response, request)
    })
    return await modelOf().inquire!(AbortSignal.timeout(5_000))
  }

  it('tells its window and abilities', async () => {
    expect(await facts(shown({ window: 40_960 }))).toEqual({ window: 40_960, tools: true })
    expect(asked[0]).toMatchObject({ path: '/api/show', body: { model: 'qwen3:8b' } })
    expect(await facts(shown({ window: 4096, capabilities: [], template: '{{ .Prompt }}' }))).toEqual({
      window: 4096,
      tools: false,
      systemRole: false,
    })
  })

  it('of an old version tells less, and of nonsense nothing is taken', async () => {
    expect(await facts({})).toEqual({})
    expect(await facts({ model_info: { 'general.architecture': 'x', 'x.context_length': 'long' } })).toEqual(
      {},
    )
    await expect(facts([])).rejects.toThrow()
  })
})
