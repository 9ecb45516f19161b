import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Server, createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type ModelConfig, createModel } from '../../../src/models/providers.ts'
import type { ModelRequest } from '../../../src/wrap/loop/model.ts'
import { userContent } from '../../../src/wrap/prompt.ts'
import { discoverOllamaModels } from '../../../src/models/discover-ollama.ts'
import { shown } from '../../support/counting-servers.ts'
import { collect, definition, sampleConfig, sampleRequest } from '../../support/model-request.ts'
import { type ModelServer, type RecordedRequest, startModelServer } from '../../support/model-server.ts'
import { end, json, jsonLines, part } from '../../support/ollama-wire.ts'

describe('Ollama', () => {
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

  test('an Ollama request has prompt, tools, messages and window, even if the endpoint ends in /v1', async () => {
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

  test('an Ollama answer in small byte chunks is read as thoughts, text, calls and usage', async () => {
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

  test('an Ollama answer reports its finish reason, and its token counts only if they are numeric', async () => {
    server.play(
      jsonLines({ ...end(0, 0, 'length'), prompt_eval_count: '26', eval_count: '3' }),
      jsonLines({ ...end(0, 0), prompt_eval_count: 'many' }),
    )
    expect(await ask(sampleRequest())).toEqual([
      { type: 'finish', reason: 'length', usage: { input: 26, output: 3 } },
    ])
    expect(await ask(sampleRequest())).toEqual([{ type: 'finish', reason: 'stop' }])
  })

  const asked: RecordedRequest[] = []
  const facts = async (answer: object) => {
    server.always((response, request) => {
      asked.push(request)
      return json(answer)(response, request)
    })
    return await modelOf().inquire!(AbortSignal.timeout(5_000))
  }

  test('Ollama reports the window and the abilities of a model', async () => {
    expect(await facts(shown({ window: 40_960 }))).toEqual({ window: 40_960, tools: true, images: false })
    expect(asked[0]).toMatchObject({ path: '/api/show', body: { model: 'qwen3:8b' } })
    expect(await facts(shown({ window: 4096, capabilities: [], template: '{{ .Prompt }}' }))).toEqual({
      window: 4096,
      tools: false,
      images: false,
      systemRole: false,
    })
    expect(await facts(shown({ window: 4096, capabilities: ['vision'] }))).toMatchObject({ images: true })
  })

  test('model facts that Ollama omits or reports wrongly are left out', async () => {
    expect(await facts({})).toEqual({})
    expect(await facts({ model_info: { 'general.architecture': 'x', 'x.context_length': 'long' } })).toEqual(
      {},
    )
    await expect(facts([])).rejects.toThrow()
  })
})

const ollama = (body: string): Promise<{ endpoint: string } & AsyncDisposable> =>
  listening(
    createServer((request, response) => {
      response.statusCode = request.url === '/api/tags' ? 200 : 404
      response.end(body)
    }),
  )

async function listening(server: Server): Promise<{ endpoint: string } & AsyncDisposable> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('Ollama models get the shortest unique names for mentions', async () => {
  const names = ['qwen3:8b', 'llama3:8b', 'llama3:70b', 'hf.co/Some One/Big_Model:Q4']
  await using server = await ollama(JSON.stringify({ models: names.map((name) => ({ name, size: 1 })) }))
  const found = await discoverOllamaModels(server.endpoint)
  expect(found.map((model) => [model.name, model.model])).toEqual([
    ['qwen3', 'qwen3:8b'],
    ['llama3-8b', 'llama3:8b'],
    ['llama3-70b', 'llama3:70b'],
    ['big_model', 'hf.co/Some One/Big_Model:Q4'],
  ])
  for (const model of found) expect(model).toMatchObject({ backend: 'ollama', endpoint: server.endpoint })
})

test('an Ollama model is left out only if it says that it cannot complete text', async () => {
  const shown: Readonly<Record<string, string>> = {
    'nomic-embed-text:latest': '{"capabilities":["embedding"]}',
    'qwen3:8b': '{"capabilities":["completion","tools"]}',
    'old:1b': '{"details":{}}',
    'odd:1b': 'not json',
  }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      if (request.url === '/api/tags') {
        const names = [...Object.keys(shown), 'silent:1b']
        response.end(JSON.stringify({ models: names.map((name) => ({ name })) }))
        return
      }
      const { model } = JSON.parse(body) as { model: string }
      if (model !== 'silent:1b') response.end(shown[model])
    })
  })
  await using endpoint = await listening(server)
  const found = await discoverOllamaModels(endpoint.endpoint)
  expect(found.map(({ model }) => model)).toEqual(['qwen3:8b', 'old:1b', 'odd:1b', 'silent:1b'])
})

test.each(['', 'not json', '{"models":"many"}', '[]'])(
  'a server that answers %j is not recognized as Ollama',
  async (body) => {
    await using server = await ollama(body)
    expect(await discoverOllamaModels(server.endpoint)).toEqual([])
  },
)

test('no Ollama models are discovered if nothing listens at the endpoint', async () => {
  const server = await ollama('')
  await server[Symbol.asyncDispose]()
  expect(await discoverOllamaModels(server.endpoint)).toEqual([])
})
