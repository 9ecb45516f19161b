import { describe, expect, it } from 'vitest'
import { createModel, type Backend } from '../../../src/adapters/models/index.ts'
import { createDeferred } from '../../../src/lib/jobs/waiting.ts'
import { type LanguageModel, ModelError } from '../../../src/turns/ports.ts'
import { anthropicAnswer, anthropicWire, eventStream } from '../../support/hosted-wires.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { answer, startModelServer, type Script } from '../../support/model-server.ts'
import { end, json, jsonLines } from '../../support/ollama-wire.ts'
import { fail, say, scriptedModel } from '../../support/scripted-model.ts'
import { anotherModel, createTurnWorld } from '../../support/turn-world.ts'

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
