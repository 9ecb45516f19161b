import { describe, expect, it } from 'vitest'
import { createModel, type Backend } from '../../../src/adapters/models/index.ts'
import { createDeferred } from '../../../src/lib/jobs/waiting.ts'
import { type LanguageModel, ModelError } from '../../../src/turns/ports.ts'
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

describe('an answer that is refused', () => {
  it.each(REFUSED)('by %s says why, and the fallback is asked', async (_who, backend, script, word) => {
    await using alone = await served(backend, script)
    expect(await alone.world.ask()).toMatchObject({
      kind: 'notice',
      level: 'error',
      text: `@qwen: its provider gave no answer (${word})`,
    })
    await using backed = await served(backend, script, true)
    expect(await backed.world.ask()).toMatchObject({ kind: 'reply', text: 'I am small' })
  })

  it('in its middle stays as far as it came, with a notice', async () => {
    await using it = await served('openai', answer([{ text: 'Once' }], { reason: 'content_filter' }))
    await it.world.ask()
    expect(await it.world.lines()).toEqual([
      'reply: Once',
      "notice: @qwen's answer was cut by its provider (content_filter)",
    ])
  })
})

/** Anthropic's answer of this text in a window that is full after it. */
const fullWindow = (text: string): Script =>
  anthropicAnswer({ type: 'text', text: '' }, { type: 'text_delta', text }, 'model_context_window_exceeded')

describe('a window that is full', () => {
  it('before the model answers teaches, and a shorter prompt follows in the same turn', async () => {
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

  it('in the middle of the answer is told as that', async () => {
    await using it = await served('anthropic', fullWindow('Once'))
    await it.world.ask()
    expect(await it.world.lines()).toEqual([
      'reply: Once',
      "notice: @qwen's answer was cut since its window is full",
    ])
  })
})

describe('a provider that says when to come back', () => {
  it('is not asked again in the turn where that is far away', async () => {
    await using it = await served('openai', (response, request) => {
      response.setHeader('retry-after', '3600')
      return json({ error: { message: 'slow down' } }, 429)(response, request)
    })
    expect((await it.world.ask()).text).toContain('try again in 1h (slow down)')
    expect(it.server.requests).toHaveLength(1)
  })

  it('is asked again after that time where it is near', async () => {
    const busy = new ModelError('qwen: busy', true, {}, { retryAfterMs: 20 })
    await using world = await createTurnWorld(scriptedModel(fail(busy), say('here')))
    const start = performance.now()
    expect(await world.ask()).toMatchObject({ text: 'here' })
    expect(performance.now() - start).toBeGreaterThanOrEqual(19)
  })
})

it('a fallback answers for a model whose refusals no shorter prompt mends', async () => {
  const words = json({ message: "This model's maximum context length is 10 tokens" }, 400)
  await using it = await served('openai-compatible', words, true)
  expect(await it.world.ask()).toMatchObject({ kind: 'reply', text: 'I am small' })
  expect((await it.world.lines())[0]).toContain('maximum context length is 10 tokens')
})

it('a turn ends when it is stopped, also where its model heeds nothing', async () => {
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

describe('a server that refuses a field', () => {
  it.each(['max_tokens', 'stream_options'])('%s is asked with it once', async (field) => {
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
  })

  it('and then another one is answered in the same turn', async () => {
    await using it = await servedRoom('openai-compatible', {}, 0)
    it.server.always(
      refusing((body) => unsupported('max_tokens')(body) ?? unsupported('stream_options')(body)),
    )
    await expectAnswer(it.world, 'a')
    expect(it.server.requests).toHaveLength(3)
  })

  it('and the request without it as well fails with its words, and is asked with it again', async () => {
    await using it = await servedRoom('openai-compatible', {}, 0)
    it.server.always(refusing((body) => unsupported('stream_options')(body) ?? 'no such luck'))
    for (const text of ['a', 'b'])
      expect((await it.world.ask(text)).text).toBe(
        '@qwen: the provider refused the request with status 400 (no such luck)',
      )
    expect(it.server.requests.map(({ body }) => 'stream_options' in body)).toEqual([true, false, true, false])
  })
})

describe('a server that refuses a tool', () => {
  it('gets the others, and the tool is hidden with its words', async () => {
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

  it('by its place with status 422, and one after the other, is answered without any', async () => {
    await using it = await servedRoom('openai-compatible', {}, 0)
    const said = 'tools.0.custom.input_schema: invalid'
    it.server.always(refusing((body) => (toolNames(body).length > 0 ? said : undefined), 422))
    await expectAnswer(it.world, 'a')
    await expectAnswer(it.world, 'b')
    expect(it.server.requests.map(({ body }) => toolNames(body).length)).toEqual([2, 1, 0, 0])
  })
})

it('what was refused is sent again once the config is read again', async () => {
  await using it = await servedRoom('openai-compatible', {}, 0)
  it.server.always(refusing(unsupported('stream_options')))
  await expectAnswer(it.world, 'a')
  const [model] = it.world.models
  it.world.models[0] = { ...model!, settings: { ...model!.settings } }
  expect((await it.world.turns.models())[0]).not.toHaveProperty('lacks')
  await expectAnswer(it.world, 'b')
  expect(it.server.requests.map(({ body }) => 'stream_options' in body)).toEqual([true, false, true, false])
})

it('a server that fails for a moment is asked with the same request', async () => {
  await using it = await servedRoom('openai-compatible', {}, 0)
  it.server.always(refusing(() => undefined))
  it.server.play(status(500, "'stream_options' is not supported"))
  await expectAnswer(it.world, 'a')
  expect(it.server.requests.map(({ body }) => 'stream_options' in body)).toEqual([true, true])
})

const chatRequests = (requests: readonly RecordedRequest[]): readonly RecordedRequest[] =>
  requests.filter(({ path }) => /chat|messages|generateContent/i.test(path))

describe('an Ollama', () => {
  it('is told the window in each request, always the same, and its true one is what the prompt keeps to', async () => {
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

  it('that cuts prompts in silence teaches nothing, and the log and /models say so', async () => {
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

  it('whose model takes no tools is sent none, and the reason is shown', async () => {
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

  it('that refuses tools without having said so is asked again without them, once and for all', async () => {
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

  it('that is away is asked again later, and nobody waits for it', async () => {
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
})

describe('a chat template without a place for a system message', () => {
  it('gets the system text at the head of the message, after one refusal', async () => {
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
})
