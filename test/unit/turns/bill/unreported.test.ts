import { expect, test, vi } from 'vitest'
import { createModel } from '../../../../src/models/providers.ts'
import type { Entry } from '../../../../src/words/entry.ts'
import { ModelError, type ModelEvent } from '../../../../src/wrap/loop/model.ts'
import { startModelServer, type Script } from '../../../support/model-server.ts'
import { sampleConfig } from '../../../support/model-request.ts'
import { call, fail, hangs, say, scriptedModel, type ScriptedStep } from '../../../support/scripted-model.ts'
import { createTurnWorld, tool, type TurnWorld, type WorldOptions } from '../../../support/turn-world.ts'
import { DIALECTS } from '../../../support/counting-servers.ts'
import { json } from '../../../support/ollama-wire.ts'
import { servedRoom } from '../../../support/served-room.ts'

/** Not the offline helper, for which nothing is counted. */
const settings = { backend: 'openai-compatible' } as const

const world = (steps: readonly ScriptedStep[], options: WorldOptions = {}): Promise<TurnWorld> =>
  createTurnWorld(scriptedModel(...steps), { settings, tools: [tool('echo')], ...options })

async function usageIn({ chatParts: { storage }, room }: TurnWorld) {
  const [row] = await storage.models.charges.usage({ room: room.name, since: 0, by: 'room' })
  return row
}

const events = (...list: readonly ModelEvent[]): ScriptedStep =>
  function* () {
    yield* list
  }

/** Starts a turn, waits until something is shown, and stops it. */
async function stopAfterText(asked: TurnWorld): Promise<Entry> {
  const turn = await asked.start()
  await vi.waitFor(() => expect(asked.deltas.length + asked.thoughts.length).toBeGreaterThan(0))
  turn.cancel()
  return await turn.done
}

test('a stopped request is charged with an estimate of its input and output, which the reply shows', async () => {
  await using asked = await world([hangs('one two three')])
  await stopAfterText(asked)
  const used = await usageIn(asked)
  expect(used).toMatchObject({ turns: 1, requests: 1, output: 3 })
  expect(used?.input).toBeGreaterThan(50)
  const estimated = { input: used?.input, output: 3 }
  expect(used?.estimated).toEqual(estimated)
  const reply = (await asked.log()).find(({ kind }) => kind === 'reply')
  expect(reply).toMatchObject({ outcome: 'stopped', usage: { ...estimated, estimated } })
})

test('a stopped request without text is charged for its thinking, and the notice has the usage', async () => {
  const thinks: ScriptedStep = async function* (request, signal) {
    yield { type: 'thinking', text: 'one two three' }
    yield* hangs()(request, signal)
  }
  await using asked = await world([thinks])
  const used = await stopAfterText(asked)
  expect(used).toMatchObject({ kind: 'notice', usage: { output: 3 } })
  expect(await usageIn(asked)).toMatchObject({ requests: 1, output: 3 })
})

test('a stopped request is charged to the quota of its requester', async () => {
  await using asked = await world([hangs('a whole answer'), say('never asked')], {
    limits: { tokens_per_person_day: 10 },
  })
  await stopAfterText(asked)
  await expect(asked.start()).rejects.toThrow('the quota of ann (tokens_per_person_day) is used up')
})

test('the usage of a stopped turn includes the requests before, in the reply and in after_turn', async () => {
  await using asked = await world([call(['echo', { q: 'x' }]), hangs('half')])
  const { storage, clock } = asked.chatParts
  const source = `function default_wrap(t) return wrap(t):system():history() end
      function after_turn(turn) tools.room_kv_set("turn", turn) end`
  await storage.prompts.scripts.put({ room: asked.room.name, source, author: 'ann', at: clock.now() })
  await stopAfterText(asked)
  const used = await usageIn(asked)
  const reply = (await asked.log()).find(({ kind }) => kind === 'reply')
  const usage = { input: used?.input, output: used?.output, estimated: used?.estimated }
  expect(used).toMatchObject({ requests: 2, estimated: { input: (used?.input ?? 0) - 10, output: 1 } })
  expect(reply).toMatchObject({ usage })
  await vi.waitFor(async () =>
    expect(await storage.chat.rooms.getValue(asked.room.name, 'turn')).toMatchObject({
      outcome: 'stopped',
      usage,
    }),
  )
})

test('an interrupted request is charged for each attempt that received something', async () => {
  const broken = (text: string): ScriptedStep =>
    function* () {
      yield { type: 'call', call: { id: 'c', name: text, arguments: '{}' } }
      throw new ModelError('the connection broke', true)
    }
  await using asked = await world([broken('echo'), say('yes')])
  expect(await asked.ask()).toMatchObject({ text: 'yes' })
  const used = await usageIn(asked)
  expect(used).toMatchObject({ turns: 1, requests: 2 })
  expect(used?.input).toBe(10 + (used?.estimated?.input ?? 0))
  expect(used?.estimated?.output).toBeGreaterThan(0)
})

test('a request that failed before anything was received is not charged', async () => {
  await using asked = await world([fail(new ModelError('status 500', false))])
  expect(await asked.ask()).toMatchObject({ kind: 'notice', level: 'error' })
  expect(await usageIn(asked)).toBeUndefined()
})

test('an interrupted request is charged as its provider reported, plus an estimate of the rest', async () => {
  const reported = { type: 'reported', usage: { input: 900, cached: 100, output: 1 } } as const
  const cut: ScriptedStep = function* () {
    yield reported
    yield { type: 'text', text: 'one two three' }
    throw new ModelError('cut', true)
  }
  await using asked = await world([cut])
  await asked.ask()
  const sums = { input: 900, cached: 100, output: 3, estimated: { input: 0, output: 2 } }
  expect(await usageIn(asked)).toMatchObject(sums)
})

test('the usage of failed attempts is included in the reply of the fallback that answered', async () => {
  const cut = events({ type: 'reported', usage: { input: 900, output: 0 } })
  const other = {
    settings: sampleConfig({ name: 'other', ...settings }),
    adapter: scriptedModel(say('yes')),
  }
  await using asked = await world([cut, cut, cut], {
    settings: { ...settings, fallback: 'other' },
    more: [other],
  })
  expect(await asked.ask()).toMatchObject({ author: 'other', usage: { input: 2710, output: 1 } })
  expect(await usageIn(asked)).toMatchObject({ requests: 4, input: 2710, output: 1 })
})

test('an answer without a usage report is charged by an estimate, which the reply marks as such', async () => {
  const silent = events({ type: 'text', text: 'one two' }, { type: 'finish', reason: 'stop' })
  await using asked = await world([silent])
  const reply = await asked.ask()
  expect(reply).toMatchObject({ usage: { output: 2, estimated: { output: 2 } } })
  expect(await asked.chatParts.storage.models.calibrations.find('')).toBeUndefined()
})

test('an answer of the offline helper without a usage report costs nothing', async () => {
  const silent = events({ type: 'text', text: 'one two' }, { type: 'finish', reason: 'stop' })
  await using asked = await world([silent], { settings: { backend: 'guide' } })
  expect(await asked.ask()).not.toHaveProperty('usage')
  expect(await usageIn(asked)).toMatchObject({ requests: 1, input: 0, output: 0 })
})

const MESSAGE = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [] }
const CHUNK = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' }
const spoken = (usage?: unknown) => ({
  ...CHUNK,
  choices: [{ index: 0, delta: { content: 'one two' }, finish_reason: null }],
  ...(usage === undefined ? {} : { usage }),
})
/** Sends these events, then breaks the connection; so that the client has read them, half a second later. */
const thenCut =
  (...list: readonly object[]): Script =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const one of list) {
      const type = 'type' in one ? `event: ${String(one.type)}\n` : ''
      await new Promise((written) => response.write(`${type}data: ${JSON.stringify(one)}\n\n`, written))
    }
    setTimeout(() => response.destroy(), 500)
  }
const usage = { input_tokens: 800, cache_read_input_tokens: 100, output_tokens: 1 }

test.each([
  [
    'anthropic',
    [
      { type: 'message_start', message: { ...MESSAGE, usage } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'one two' } },
    ],
    { input: 900, cached: 100, output: 2, estimated: { input: 0, output: 1 } },
  ],
  [
    'gemini',
    [
      {
        candidates: [{ content: { role: 'model', parts: [{ text: 'one two' }] }, index: 0 }],
        usageMetadata: { promptTokenCount: 900, candidatesTokenCount: 2, totalTokenCount: 902 },
      },
    ],
    { input: 900, cached: 0, output: 2 },
  ],
  [
    'openai-compatible',
    [spoken({ prompt_tokens: 900, completion_tokens: 2, total_tokens: 902 })],
    { input: 900, cached: 0, output: 2 },
  ],
] as const)(
  'the usage that %s reported before the connection broke is charged',
  async (backend, pieces, sums) => {
    await using server = await startModelServer()
    server.always(thenCut(...pieces))
    const config = sampleConfig({ backend, endpoint: server.endpoint, apiKey: 'key' })
    await using asked = await createTurnWorld(createModel(config), { settings: config })
    expect(await asked.ask()).toMatchObject({ kind: 'notice', level: 'error' })
    expect(await usageIn(asked)).toEqual({ key: 'lobby', turns: 1, requests: 1, ...sums })
  },
)

test.each([
  ['a word', '"many"'],
  ['a number', '7'],
  ['counts that are words', '{"prompt_tokens":"many","completion_tokens":true,"total_tokens":"x"}'],
  ['counts that cannot be', '{"prompt_tokens":1e18,"completion_tokens":-1,"total_tokens":0.5}'],
])('an invalid usage that is %s does not end the turn, and an estimate replaces it', async (_what, bad) => {
  await using server = await startModelServer()
  const end = { ...CHUNK, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: 'BAD' }
  const body = [spoken(), end].map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')
  server.always((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`${body.replace('"BAD"', bad)}data: [DONE]\n\n`)
  })
  const config = sampleConfig({ ...settings, endpoint: server.endpoint })
  await using asked = await createTurnWorld(createModel(config), { settings: config })
  expect(await asked.ask()).toMatchObject({
    kind: 'reply',
    text: 'one two',
    usage: { estimated: { output: 2 } },
  })
})

/** Begins to answer, and breaks the connection before anything of an answer is there. */
const begins =
  (contentType: string): Script =>
  (response) => {
    response.writeHead(200, { 'content-type': contentType })
    response.write('\n', () => response.socket?.destroy())
  }

const KINDS = ['openai', 'vllm', 'gemini', 'anthropic', 'ollama that does not cut'] as const

test.each(KINDS)(
  'an attempt that broke off after the response began is charged by an estimate: %s',
  async (kind) => {
    const dialect = DIALECTS[kind]!
    await using it = await servedRoom(dialect.backend, {}, 3)
    const broken = begins(dialect.backend === 'ollama' ? 'application/x-ndjson' : 'text/event-stream')
    const facts = Object.entries(dialect.facts?.({ window: 8000, density: 1 }) ?? {})
    let asked = 0
    it.server.always((response, request) => {
      const fact = facts.find(([path]) => request.path.endsWith(path))
      if (fact) return fact[1](response, request)
      if (!/chat|messages|generateContent/i.test(request.path)) return json({}, 404)(response, request)
      asked += 1
      return (asked < 3 ? broken : dialect.says('ok', 700))(response, request)
    })
    expect(await (await it.world.start('hello')).done).toMatchObject({ text: 'ok' })
    expect(asked).toBe(3)
    const { storage } = it.world.chatParts
    const [used] = await storage.models.charges.usage({ room: it.world.room.name, since: 0, by: 'room' })
    const estimated = used!.estimated!
    expect(used).toMatchObject({ turns: 1, requests: 3, input: 700 + estimated.input, output: 2 })
    expect(estimated.input).toBeGreaterThan(1000)
    expect(estimated.input % 2).toBe(0)
    expect(estimated.output).toBe(0)
  },
)

test('the notice of a broken connection does not show the address of the model server', async () => {
  await using it = await servedRoom('openai-compatible', {}, 3)
  it.server.always(begins('text/event-stream'))
  const { text } = await (await it.world.start('hello')).done
  expect(text).toBe('@qwen: the connection to its server broke; ask again')
})

test('an attempt without a response or with status 503 is not charged', async () => {
  await using it = await servedRoom('openai-compatible', {}, 3)
  let asked = 0
  it.server.always((response, request) => {
    if (!request.path.endsWith('completions')) return json({}, 404)(response, request)
    asked += 1
    if (asked === 1) return json({ error: { message: 'overloaded' } }, 503)(response, request)
    if (asked === 2) return void response.socket?.destroy()
    return DIALECTS['vllm']!.says('ok', 700)(response, request)
  })
  expect(await (await it.world.start('hello')).done).toMatchObject({ text: 'ok' })
  const { storage } = it.world.chatParts
  const [used] = await storage.models.charges.usage({ room: it.world.room.name, since: 0, by: 'room' })
  expect(used).toMatchObject({ requests: 1, input: 700 })
})
