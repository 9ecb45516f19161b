import { describe, expect, it } from 'vitest'
import { answer, status, type ChatRequest, type Script } from '../../support/model-server.ts'
import { json } from '../../support/ollama-wire.ts'
import { expectAnswer, servedRoom } from '../../support/served-room.ts'

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
