import { expect, test } from 'vitest'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { createModel } from '../../../src/models/providers.ts'
import { modelOf, requestOf } from '../../support/sent-requests.ts'
import { collect, sampleRequest, textOf } from '../../support/model-request.ts'
import { says, startModelServer } from '../../support/model-server.ts'

const AT = 'endpoint = "ENDPOINT"\nmodel = "m-1"\n'
const SAMPLING = 'temperature = 0.5\ntop_p = 0.9\nstop = "END"\n'

/** Backend, further keys, and the part of the request that they make. */
const BODIES: readonly (readonly [backend: string, keys: string, body: object])[] = [
  ['openai-compatible', SAMPLING, { temperature: 0.5, top_p: 0.9, stop: ['END'], model: 'm-1' }],
  ['openai', `${SAMPLING}seed = 7`, { temperature: 0.5, top_p: 0.9, stop: ['END'], seed: 7 }],
  ['openai', 'api = "responses"\ntop_p = 0.9\neffort = "low"', { top_p: 0.9, reasoning: { effort: 'low' } }],
  ['openai', 'api = "responses"', { store: false, max_output_tokens: 4096, tools: [{ strict: false }] }],
  ['anthropic', SAMPLING, { temperature: 0.5, top_p: 0.9, stop_sequences: ['END'], max_tokens: 4096 }],
  [
    'gemini',
    `${SAMPLING}seed = 7`,
    {
      generationConfig: {
        ...{ temperature: 0.5, topP: 0.9, stopSequences: ['END'], seed: 7, maxOutputTokens: 4096 },
      },
    },
  ],
  [
    'ollama',
    `${SAMPLING}seed = 7\noptions = { top_k = 40, temperature = 0.1 }`,
    { options: { temperature: 0.1, top_p: 0.9, stop: ['END'], seed: 7, top_k: 40, num_predict: 4096 } },
  ],
  ['openai', 'effort = "high"', { reasoning_effort: 'high' }],
  ['openai', 'effort = "high"\nreasoning_effort = "minimal"', { reasoning_effort: 'minimal' }],
  ['llamacpp', 'effort = "low"', { chat_template_kwargs: { reasoning_effort: 'low' } }],
  ['ollama', 'effort = "low"', { think: true }],
  ['ollama', 'think = false\neffort = "low"', { think: false }],
  ['openai-compatible', 'extra_body = { top_k = 40, reasoning = { effort = "low" } }', { top_k: 40 }],
  [
    'ollama',
    'extra_body = { format = "json" }\ntemperature = 0',
    { format: 'json', options: { temperature: 0 } },
  ],
  [
    'gemini',
    'extra_body = { generationConfig = { topK = 40 }, labels = { team = "a" } }',
    { generationConfig: { topK: 40, maxOutputTokens: 4096 }, labels: { team: 'a' } },
  ],
]

test.each(BODIES)('a request to %s contains the settings %j', async (backend, keys, body) => {
  const sent = await requestOf(`backend = "${backend}"\n${AT}${keys}`)
  expect(sent.body).toMatchObject(body)
})

/** These models stream empty thoughts unless they are asked for summaries. */
const SUMMARIZED = {
  thinking: { type: 'adaptive', display: 'summarized' },
  output_config: { effort: 'medium' },
}

test.each([
  ['anthropic', 'claude-sonnet-4-5-20250929', { thinking: { type: 'enabled', budget_tokens: 2048 } }],
  ['anthropic', 'claude-sonnet-4-20250514', { thinking: { type: 'enabled', budget_tokens: 2048 } }],
  ['anthropic', 'claude-opus-4-6', { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } }],
  ['anthropic', 'claude-opus-4-7', SUMMARIZED],
  ['anthropic', 'claude-sonnet-5', SUMMARIZED],
  ['anthropic', 'team-claude', SUMMARIZED],
  ['gemini', 'gemini-2.5-flash', { generationConfig: { thinkingConfig: { thinkingBudget: 2048 } } }],
  ['gemini', 'gemini-3-pro', { generationConfig: { thinkingConfig: { thinkingLevel: 'medium' } } }],
  ['ollama', 'gpt-oss:20b', { think: 'medium' }],
])(
  'a request to %s for %s expresses medium effort in the form of that model',
  async (backend, model, body) => {
    const keys = `backend = "${backend}"\nendpoint = "ENDPOINT"\nmodel = "${model}"\neffort = "medium"`
    expect((await requestOf(keys)).body).toMatchObject(body)
  },
)

test('an Anthropic request with a small output limit asks for no thinking', async () => {
  const keys = 'backend = "anthropic"\nendpoint = "ENDPOINT"\nmodel = "claude-sonnet-4-5"\neffort = "high"'
  const { body } = await requestOf(keys, { maxOutput: 1024 })
  expect(body).not.toHaveProperty('thinking')
})

test('an Ollama request without settings contains only the standard fields', async () => {
  const { body } = await requestOf(`backend = "ollama"\n${AT}`)
  expect(Object.keys(body)).toEqual(['model', 'messages', 'tools', 'stream', 'truncate', 'shift', 'options'])
})

test.each(['openai', 'openai-compatible', 'llamacpp', 'anthropic', 'gemini', 'ollama'])(
  'a request to %s has the headers of header_env and no empty API key',
  async (backend) => {
    const keys = `backend = "${backend}"\n${AT}header_env = { "api-key" = "AZURE_KEY", X-None = "NONE" }`
    const { headers } = await requestOf(keys, { env: { AZURE_KEY: 'secret-1' } })
    expect(headers['api-key']).toBe('secret-1')
    for (const name of ['x-none', 'authorization', 'x-api-key', 'x-goog-api-key'])
      expect(headers).not.toHaveProperty(name)
  },
)

const WHOLE = 'endpoint_is_whole = true\n'

test.each([
  ['openai-compatible', 'ENDPOINT', '', '/v1/chat/completions'],
  ['openai-compatible', 'ENDPOINT/v1/chat/completions', '', '/v1/chat/completions'],
  ['openai-compatible', 'ENDPOINT/', '', '/v1/chat/completions'],
  ['openai-compatible', 'ENDPOINT/v1/', '', '/v1/chat/completions'],
  ['openai-compatible', 'ENDPOINT/api', '', '/api/v1/chat/completions'],
  ['openai-compatible', 'ENDPOINT/v1beta/openai', '', '/v1beta/openai/chat/completions'],
  ['openai-compatible', 'ENDPOINT/api/chat/completions/', '', '/api/chat/completions'],
  ['openai-compatible', 'ENDPOINT/v1?team=a%20b', '', '/v1/chat/completions?team=a+b'],
  [
    'openai',
    'ENDPOINT/openai/deployments/d/chat/completions?api-version=2024-10-21',
    '',
    '/openai/deployments/d/chat/completions?api-version=2024-10-21',
  ],
  [
    'openai',
    'ENDPOINT/openai/deployments/d?api-version=2024-10-21',
    '',
    '/openai/deployments/d/chat/completions?api-version=2024-10-21',
  ],
  ['openai', 'ENDPOINT/openai/v1', '', '/openai/v1/chat/completions'],
  ['openai', 'ENDPOINT/openai/v1', 'api = "responses"\n', '/openai/v1/responses'],
  ['openai', 'ENDPOINT/v1/responses', 'api = "responses"\n', '/v1/responses'],
  ['anthropic', 'ENDPOINT/v1/messages', '', '/v1/messages'],
  ['gemini', 'ENDPOINT/v1beta?team=a', '', '/v1beta/models/m-1:streamGenerateContent?alt=sse&team=a'],
  ['ollama', 'ENDPOINT/api/chat?team=a', '', '/api/chat?team=a'],
  ['ollama', 'ENDPOINT/v1', '', '/api/chat'],
  ['openai-compatible', 'ENDPOINT/infer?m=1', WHOLE, '/infer?m=1'],
  ['ollama', 'ENDPOINT/infer', WHOLE, '/infer'],
  ['gemini', 'ENDPOINT/infer?alt=sse', WHOLE, '/infer?alt=sse'],
])(
  'a %s model with the endpoint %s %s is requested at the path %s',
  async (backend, endpoint, keys, path) => {
    const sent = await requestOf(`backend = "${backend}"\nmodel = "m-1"\nendpoint = "${endpoint}"\n${keys}`)
    expect(sent.path).toBe(path)
  },
)

/** An HTTP proxy that leads every tunnel to `port`, whatever host it is for. */
async function startHttpProxy(port: number) {
  const hosts: string[] = []
  const proxy = createServer().on('connect', (request, client) => {
    hosts.push(request.url ?? '')
    const server = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      client.pipe(server).pipe(client)
    })
    for (const socket of [client, server]) socket.on('error', () => socket.destroy())
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return {
    hosts,
    address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => void proxy.close(),
  }
}

async function say(endpoint: string, env: Record<string, string>): Promise<string> {
  const model = createModel(
    modelOf(`backend = "openai-compatible"\nmodel = "m-1"\nendpoint = "${endpoint}"`, env),
  )
  return textOf(await collect(model.stream(sampleRequest(), new AbortController().signal)))
}

test('a model is requested through the proxy in HTTP_PROXY', async () => {
  await using server = await startModelServer()
  using proxy = await startHttpProxy(Number(new URL(server.endpoint).port))
  server.play(says('hello'))
  expect(await say('http://models.example.org:8000', { HTTP_PROXY: proxy.address })).toBe('hello')
  expect(proxy.hosts).toEqual(['models.example.org:8000'])
})

test('a model on this machine is requested without the proxy', async () => {
  await using server = await startModelServer()
  using proxy = await startHttpProxy(Number(new URL(server.endpoint).port))
  server.play(says('hello'))
  expect(await say(server.endpoint, { HTTP_PROXY: proxy.address, HTTPS_PROXY: proxy.address })).toBe('hello')
  expect(proxy.hosts).toEqual([])
})

test('a host in NO_PROXY is requested without the proxy', async () => {
  const env = { https_proxy: 'http://127.0.0.1:9', NO_PROXY: 'models.invalid' }
  await expect(say('http://models.invalid', env)).rejects.toThrow(
    /there is no host at http:\/\/models\.invalid/,
  )
})
