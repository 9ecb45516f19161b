import { describe, expect, it } from 'vitest'
import { countingServer, DIALECTS, shown } from '../../support/counting-servers.ts'
import { answer, type RecordedRequest } from '../../support/model-server.ts'
import { end, json, jsonLines, part } from '../../support/ollama-wire.ts'
import { expectAnswer, servedRoom } from '../../support/served-room.ts'

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
