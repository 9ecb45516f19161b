import { expect, it } from 'vitest'
import { createModel, type Backend } from '../../../src/models/providers.ts'
import { createDeferred } from '../../../src/base/jobs/waiting.ts'
import { type LanguageModel, ModelError } from '../../../src/wrap/loop/model.ts'
import { anthropicAnswer, anthropicWire, eventStream } from '../../support/hosted-wires.ts'
import { sampleConfig } from '../../support/model-request.ts'
import {
  answer,
  startModelServer,
  type Script,
  status,
  type ChatRequest,
  type RecordedRequest,
} from '../../support/model-server.ts'
import { end, json, jsonLines, part } from '../../support/ollama-wire.ts'
import { fail, say, scriptedModel } from '../../support/scripted-model.ts'
import { anotherModel, createTurnWorld } from '../../support/turn-world.ts'
import { expectAnswer, servedRoom } from '../../support/served-room.ts'
import { countingServer, DIALECTS, shown } from '../../support/counting-servers.ts'

async function served(backend: Backend, script: Script, fallback = false) {
  const server = await startModelServer()
  server.always(script)
  const settings = sampleConfig({
    ...{ backend, endpoint: server.endpoint, apiKey: 'key' },
    ...(fallback ? { fallback: 'small' } : {}),
  })
  const world = await createTurnWorld(createModel(settings), { settings, more: [anotherModel('small')] })
  return {
    server,
    world,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

const REFUSED: readonly (readonly [string, Backend, Script, string])[] = [
  ['OpenAI', 'openai', answer([], { reason: 'content_filter' }), 'content_filter'],
  ['a compatible server', 'openai-compatible', answer([], { reason: 'content_filter' }), 'content_filter'],
  [
    'Gemini',
    'gemini',
    eventStream({ candidates: [{ content: { parts: [] }, finishReason: 'SAFETY' }] }),
    'SAFETY',
  ],
  [
    'Anthropic',
    'anthropic',
    eventStream(
      { type: 'message_start', message: { id: 'm', usage: { input_tokens: 5, output_tokens: 1 } } },
      { type: 'message_delta', delta: { stop_reason: 'refusal' }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ),
    'refusal',
  ],
  ['Ollama', 'ollama', jsonLines(end(0, 0, 'load')), 'load'],
]

it.each(REFUSED)(
  'a refusal by %s is shown with its reason, and a fallback answers if there is one',
  async (_who, backend, script, word) => {
    await using alone = await served(backend, script)
    expect(await alone.world.ask()).toMatchObject({
      kind: 'notice',
      level: 'error',
      text: `@qwen: its provider gave no answer (${word})`,
    })
    await using backed = await served(backend, script, true)
    expect(await backed.world.ask()).toMatchObject({ kind: 'reply', text: 'I am small' })
  },
)

it('an answer that its provider cut off is logged with a notice', async () => {
  await using it = await served('openai', answer([{ text: 'Once' }], { reason: 'content_filter' }))
  await it.world.ask()
  expect(await it.world.lines()).toEqual([
    'reply: Once',
    "notice: @qwen's answer was cut by its provider (content_filter)",
  ])
})

/** Anthropic's answer of this text in a window that is full after it. */
const fullWindow = (text: string): Script =>
  anthropicAnswer({ type: 'text', text: '' }, { type: 'text_delta', text }, 'model_context_window_exceeded')

it('a turn sends a shorter prompt if the window is full before the answer', async () => {
  await using it = await served('anthropic', fullWindow(''))
  for (let number = 0; number < 20; number++)
    await it.world.room.record({
      kind: 'message',
      author: 'ann',
      text: `${number} ${'and so on '.repeat(50)}`,
    })
  it.server.play(fullWindow(''), anthropicWire.says('short'))
  expect(await it.world.ask()).toMatchObject({ kind: 'reply', text: 'short' })
  const [qwen] = await it.world.turns.models()
  expect(qwen).toMatchObject({ isWindowGuessed: true })
})

it('an answer cut because the window is full is followed by a notice with that reason', async () => {
  await using it = await served('anthropic', fullWindow('Once'))
  await it.world.ask()
  expect(await it.world.lines()).toEqual([
    'reply: Once',
    "notice: @qwen's answer was cut since its window is full",
  ])
})

it('a request is not retried in its turn if Retry-After is an hour', async () => {
  await using it = await served('openai', (response, request) => {
    response.setHeader('retry-after', '3600')
    return json({ error: { message: 'slow down' } }, 429)(response, request)
  })
  expect((await it.world.ask()).text).toContain('try again in 1h (slow down)')
  expect(it.server.requests).toHaveLength(1)
})

it('a request is retried after a short Retry-After', async () => {
  const busy = new ModelError('qwen: busy', true, {}, { retryAfterMs: 20 })
  await using world = await createTurnWorld(scriptedModel(fail(busy), say('here')))
  const start = performance.now()
  expect(await world.ask()).toMatchObject({ text: 'here' })
  expect(performance.now() - start).toBeGreaterThanOrEqual(19)
})

it('a fallback answers if the model refuses even the shortest prompt', async () => {
  const words = json({ message: "This model's maximum context length is 10 tokens" }, 400)
  await using it = await served('openai-compatible', words, true)
  expect(await it.world.ask()).toMatchObject({ kind: 'reply', text: 'I am small' })
  expect((await it.world.lines())[0]).toContain('maximum context length is 10 tokens')
})

it('a stopped turn ends although its model adapter ignores the abort signal', async () => {
  const asked = createDeferred<void>()
  const deaf: LanguageModel = {
    stream: () => ({
      [Symbol.asyncIterator]: () => ({
        next() {
          asked.resolve()
          return new Promise(() => {})
        },
      }),
    }),
  }
  await using world = await createTurnWorld(deaf)
  const turn = await world.start()
  await asked.promise
  turn.cancel('ann stopped @qwen')
  expect((await turn.done).text).toBe('ann stopped @qwen')
})

/** A server that refuses each request of which `refuse` gives words. */
const refusing =
  (refuse: (body: ChatRequest) => string | undefined, code = 400): Script =>
  (response, request) => {
    if (request.path.endsWith('/models')) return json({ data: [] })(response, request)
    const words = refuse(request.body)
    const script = words === undefined ? answer([{ text: 'ok' }]) : json({ error: { message: words } }, code)
    return script(response, request)
  }

const toolNames = ({ tools = [] }: ChatRequest): readonly string[] => tools.map((tool) => tool.function.name)

const unsupported = (field: string) => (body: ChatRequest) =>
  field in body ? `Unsupported parameter: '${field}' is not supported with this model.` : undefined

it.each(['max_tokens', 'stream_options'])(
  'a server that refuses %s gets later requests without it',
  async (field) => {
    await using it = await servedRoom('openai-compatible', {}, 0)
    it.server.always(refusing(unsupported(field)))
    await expectAnswer(it.world, 'a')
    await expectAnswer(it.world, 'b')
    const sent = it.server.requests.map(({ body }) => body)
    expect(sent.map((body) => field in body)).toEqual([true, false, false])
    expect(sent.map((body) => body['max_tokens'] ?? body['max_completion_tokens'])).toEqual([
      1000, 1000, 1000,
    ])
    const words = `it was refused (Unsupported parameter: '${field}' is not supported with this model.)`
    expect((await it.world.turns.models())[0]!.lacks).toEqual({ fields: { [field]: words } })
  },
)

it('an answer limit named in a refusal applies to later requests and is shown by /models', async () => {
  await using it = await servedRoom('openai-compatible', {}, 0)
  const limit = 'Invalid max_tokens value, the valid range of max_tokens is [1, 256]'
  it.server.always(refusing((body) => (Number(body['max_tokens']) > 256 ? limit : undefined)))
  await expectAnswer(it.world, 'a')
  const [request] = await expectAnswer(it.world, 'b')
  expect(it.server.requests.map(({ body }) => body['max_tokens'])).toEqual([1000, 256, 256])
  expect(request!.prompt.budget.reserved_output).toBe(256)
  const [qwen] = await it.world.turns.models()
  expect(qwen).toMatchObject({ contextWindow: 8000, maxOutput: 256, isOutputLimited: true })
  it.world.chatParts.clock.advance(25 * 3_600_000)
  expect((await it.world.turns.models())[0]).toMatchObject({ maxOutput: 1000 })
})

it('a model is asked once more if its server cannot parse a call', async () => {
  await using it = await servedRoom('openai-compatible', {}, 0)
  it.server.always(refusing(() => undefined))
  const error = { message: "Failed to call 'Grep'", code: 'tool_use_failed', failed_generation: '<Grep' }
  it.server.play(json({ error }, 400))
  await expectAnswer(it.world, 'a')
  expect(it.server.requests.map(({ body }) => toolNames(body).length)).toEqual([2, 2])
})

it('a server that refuses two fields in turn gets a request without them in the same turn', async () => {
  await using it = await servedRoom('openai-compatible', {}, 0)
  it.server.always(refusing((body) => unsupported('max_tokens')(body) ?? unsupported('stream_options')(body)))
  await expectAnswer(it.world, 'a')
  expect(it.server.requests).toHaveLength(3)
})

it('a field is sent again if the request without it was refused as well', async () => {
  await using it = await servedRoom('openai-compatible', {}, 0)
  it.server.always(refusing((body) => unsupported('stream_options')(body) ?? 'no such luck'))
  for (const text of ['a', 'b'])
    expect((await it.world.ask(text)).text).toBe(
      '@qwen: the provider refused the request with status 400 (no such luck)',
    )
  expect(it.server.requests.map(({ body }) => 'stream_options' in body)).toEqual([true, false, true, false])
})

it('a tool that a provider refuses is hidden with the reason, and the other tools are sent', async () => {
  await using it = await servedRoom('openai-compatible', {}, 0)
  const words = "Invalid schema for function 'Grep': object schema missing properties."
  it.server.always(refusing((body) => (toolNames(body).includes('Grep') ? words : undefined)))
  await expectAnswer(it.world, 'a')
  await expectAnswer(it.world, 'b')
  const [refused, ...others] = it.server.requests.map(({ body }) => toolNames(body))
  expect(refused).toContain('Grep')
  for (const names of others) expect(names).toEqual(['Glob'])
  expect(others).toHaveLength(2)
  const { tools } = await it.world.turns.scope({ room: it.world.room, person: it.world.ann })
  const grep = tools.find(({ tool }) => tool.id === 'Grep')
  expect(grep).toMatchObject({ visible: false, reason: `model: its provider refused it (${words})` })
})

it('tools refused by their index with status 422 are left out one after the other', async () => {
  await using it = await servedRoom('openai-compatible', {}, 0)
  const said = 'tools.0.custom.input_schema: invalid'
  it.server.always(refusing((body) => (toolNames(body).length > 0 ? said : undefined), 422))
  await expectAnswer(it.world, 'a')
  await expectAnswer(it.world, 'b')
  expect(it.server.requests.map(({ body }) => toolNames(body).length)).toEqual([2, 1, 0, 0])
})

it('a refused field is sent again after the config is reloaded', async () => {
  await using it = await servedRoom('openai-compatible', {}, 0)
  it.server.always(refusing(unsupported('stream_options')))
  await expectAnswer(it.world, 'a')
  const [model] = it.world.models
  it.world.models[0] = { ...model!, settings: { ...model!.settings } }
  expect((await it.world.turns.models())[0]).not.toHaveProperty('lacks')
  await expectAnswer(it.world, 'b')
  expect(it.server.requests.map(({ body }) => 'stream_options' in body)).toEqual([true, false, true, false])
})

it('a request that failed with status 500 is retried with the same fields', async () => {
  await using it = await servedRoom('openai-compatible', {}, 0)
  it.server.always(refusing(() => undefined))
  it.server.play(status(500, "'stream_options' is not supported"))
  await expectAnswer(it.world, 'a')
  expect(it.server.requests.map(({ body }) => 'stream_options' in body)).toEqual([true, true])
})

const chatRequests = (requests: readonly RecordedRequest[]): readonly RecordedRequest[] =>
  requests.filter(({ path }) => /chat|messages|generateContent/i.test(path))

it('Ollama gets the same num_ctx in every request, and prompts fit the window it really has', async () => {
  await using it = await servedRoom('ollama', { keepAlive: '10m' })
  const { script } = countingServer(DIALECTS['ollama that does not cut']!, { window: 6000, density: 1 })
  it.server.always(script)
  await expectAnswer(it.world, 'a')
  await expectAnswer(it.world, 'b')
  const sent = chatRequests(it.server.requests)
  expect(sent.map(({ body }) => body['options'])).toEqual([
    { num_ctx: 6000, num_predict: 1000 },
    { num_ctx: 6000, num_predict: 1000 },
  ])
  expect(sent[0]!.body).toMatchObject({ keep_alive: '10m', truncate: false, shift: false })
  const [status] = await it.world.turns.models()
  expect(status).toMatchObject({ contextWindow: 6000, configuredWindow: 8000 })
  expect(
    it.world.chatParts.log.lines.filter((line) => line.startsWith('context_window is larger')),
  ).toHaveLength(1)
})

it('an Ollama that silently truncates prompts does not lower the window, but is marked as doubtful', async () => {
  await using it = await servedRoom('ollama')
  // A version that ignores num_ctx and truncate: it reads 4096 tokens of whatever it gets, and tells of no window.
  it.server.always((response, request) =>
    (request.path === '/api/show'
      ? json({ error: 'not found' }, 404)
      : jsonLines(part({ content: 'ok' }), end(4096, 2)))(response, request),
  )
  const targets: number[] = []
  for (const words of [10, 900, 1800, 2700]) {
    const [request] = await expectAnswer(it.world, 'word '.repeat(words))
    targets.push(request!.prompt.budget.target)
  }
  expect(targets[0]).toBe(5600)
  for (const target of targets) expect(target + 1000).toBeLessThanOrEqual(8000)
  const [status] = await it.world.turns.models()
  expect(status!.isDoubted).toBe(true)
  expect(it.world.chatParts.log.lines.filter((line) => line.includes('look cut off'))).toHaveLength(1)
})

it('an Ollama model without the tools capability gets no tools, and /tools shows the reason', async () => {
  await using it = await servedRoom('ollama')
  it.server.always((response, request) =>
    (request.path === '/api/show'
      ? json(shown({ window: 8000, capabilities: ['completion'] }))
      : jsonLines(part({ content: 'ok' }), end(3000, 2)))(response, request),
  )
  await expectAnswer(it.world, 'hello')
  expect(chatRequests(it.server.requests)[0]!.body).not.toHaveProperty('tools')
  const { tools, warnings } = await it.world.turns.scope({ room: it.world.room, person: it.world.ann })
  expect(tools.map(({ visible, reason }) => [visible, reason])).toEqual([
    [false, 'model: its server says that it takes no tools'],
    [false, 'model: its server says that it takes no tools'],
  ])
  expect(warnings).toEqual(['@qwen has no tools: its server says that it takes no tools'])
})

it('an Ollama that refuses tools gets no tools in all later requests', async () => {
  await using it = await servedRoom('ollama')
  it.server.always((response, request) =>
    (request.path === '/api/show'
      ? json({}, 500)
      : request.body.tools
        ? json({ error: 'registry.ollama.ai/library/gemma:2b does not support tools' }, 400)
        : jsonLines(part({ content: 'ok' }), end(3000, 2)))(response, request),
  )
  await expectAnswer(it.world, 'a')
  await expectAnswer(it.world, 'b')
  const sent = chatRequests(it.server.requests).map(({ body }) => body.tools?.length ?? 0)
  expect(sent).toEqual([2, 0, 0])
  const [status] = await it.world.turns.models()
  expect(status!.lacks).toEqual({ tools: 'it refused tools' })
})

it('an unreachable Ollama is asked for its facts again after 30 seconds', async () => {
  await using it = await servedRoom('ollama')
  let away = true
  it.server.always((response, request) => {
    if (away) return void response.destroy()
    return json(shown({ window: 6000 }))(response, request)
  })
  expect((await it.world.turns.models())[0]).toMatchObject({ contextWindow: 8000 })
  away = false
  expect((await it.world.turns.models())[0]).toMatchObject({ contextWindow: 8000 })
  it.world.chatParts.clock.advance(31_000)
  expect((await it.world.turns.models())[0]).toMatchObject({ contextWindow: 6000 })
})

it('the system text is moved into the user message after the template refused the system role', async () => {
  await using it = await servedRoom('openai-compatible')
  it.server.always((response, request) =>
    (request.path.endsWith('/models')
      ? json({ data: [] })
      : request.body.messages[0]?.role === 'system'
        ? json(
            { object: 'error', message: 'System role not supported', type: 'BadRequestError', code: 400 },
            400,
          )
        : answer([{ text: 'ok' }], { usage: [3000, 2] }))(response, request),
  )
  await expectAnswer(it.world, 'a')
  const [request] = await expectAnswer(it.world, 'b')
  const sent = chatRequests(it.server.requests).map(({ body }) => body.messages.map(({ role }) => role))
  expect(sent).toEqual([['system', 'user'], ['user'], ['user']])
  const [{ content }] = chatRequests(it.server.requests).at(-1)!.body.messages as unknown as readonly [
    { content: string },
  ]
  expect(content.startsWith(request!.prompt.system)).toBe(true)
})
