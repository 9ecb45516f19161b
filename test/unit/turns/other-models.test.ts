import { describe, expect, it } from 'vitest'
import { createModel } from '../../../src/models/providers.ts'
import { type ConfiguredModel, ModelError } from '../../../src/wrap/loop/model.ts'
import { requestsOf } from '../../../src/turns/turn-log.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { answer, cut, hang, startModelServer } from '../../support/model-server.ts'
import { call, fail, say, scriptedModel, type ScriptedModel } from '../../support/scripted-model.ts'
import { createTurnWorld, tool, type TurnWorld } from '../../support/turn-world.ts'

const configured = (name: string, model: ScriptedModel, change: object = {}): ConfiguredModel => ({
  settings: sampleConfig({ name, backend: 'guide', ...change }),
  adapter: model,
})

const down = new ModelError('qwen: nothing answers at http://localhost:1; is ollama running?', false)

it('a fallback answers in the same turn if its model fails before any output, and a notice says so', async () => {
  const small = scriptedModel(say('I am small'))
  await using world = await createTurnWorld(scriptedModel(fail(down)), {
    settings: { fallback: 'small' },
    more: [configured('small', small)],
  })
  const turn = await world.start('why?')
  expect(await turn.done).toMatchObject({ kind: 'reply', author: 'small', text: 'I am small', turn: turn.id })
  expect(await world.lines()).toEqual([
    'notice: @qwen: nothing answers at http://localhost:1; is ollama running?; @small is asked instead',
    'reply: I am small',
  ])
  expect(small.requests[0]!.prompt.system).toContain('@small')
  const record = (await world.chatParts.storage.models.turns.find(turn.id))!
  expect(record).toMatchObject({ model: 'small', outcome: 'done', usage: { input: 10, output: 1 } })
  expect(requestsOf(record)).toHaveLength(2)
})

it('a chain of fallbacks is tried in order, and the turn fails if all of them fail', async () => {
  const other = new ModelError('small: the provider failed', false)
  await using world = await createTurnWorld(scriptedModel(fail(down)), {
    settings: { fallback: 'small' },
    more: [
      configured('small', scriptedModel(fail(other)), { fallback: 'last' }),
      configured('last', scriptedModel(fail(new ModelError('last: no', false)))),
    ],
  })
  expect(await world.ask()).toMatchObject({ kind: 'notice', level: 'error', text: '@last: no' })
  expect(await world.lines()).toHaveLength(3)
})

it('a fallback is not asked if the model failed after its first text', async () => {
  const small = scriptedModel()
  await using world = await createTurnWorld(scriptedModel(fail(down, 'Once upon')), {
    settings: { fallback: 'small' },
    more: [configured('small', small)],
  })
  expect(await world.ask()).toMatchObject({ kind: 'notice', level: 'error' })
  expect(small.requests).toEqual([])
})

it('a fallback is not asked if the model failed after a tool call', async () => {
  const small = scriptedModel()
  await using world = await createTurnWorld(scriptedModel(call(['Grep', {}]), fail(down)), {
    tools: [tool('Grep')],
    settings: { fallback: 'small' },
    more: [configured('small', small)],
  })
  expect(await world.ask()).toMatchObject({ kind: 'notice', level: 'error' })
  expect(small.requests).toEqual([])
})

it('a fallback is not asked if the turn was stopped or the fallback is disabled', async () => {
  await using server = await startModelServer()
  server.play(hang())
  const settings = sampleConfig({ endpoint: server.endpoint, fallback: 'small' })
  const small = scriptedModel()
  await using world = await createTurnWorld(createModel(settings), {
    settings,
    more: [configured('small', small)],
  })
  const turn = await world.start()
  await server.arrived(1)
  turn.cancel('ann stopped @qwen')
  expect((await turn.done).text).toBe('ann stopped @qwen')
  expect(small.requests).toEqual([])
  await using other = await createTurnWorld(scriptedModel(fail(down)), {
    settings: { fallback: 'small' },
    more: [configured('small', small, { enabled: false })],
  })
  expect((await other.ask()).text).toBe('@qwen: nothing answers at http://localhost:1; is ollama running?')
})

it('the thinking of a model is shown but not logged, and is sent back with its step', async () => {
  await using server = await startModelServer()
  const settings = sampleConfig({ endpoint: server.endpoint })
  await using world = await createTurnWorld(createModel(settings), { settings, tools: [tool('Grep')] })
  server.play(
    answer([
      { reasoning: 'They want ' },
      { reasoning: 'a search.\u001b[2J' },
      { call: { index: 0, id: 'c1', name: 'Grep', arguments: '{"q":"x"}' } },
    ]),
    answer([{ text: 'Found.' }]),
  )
  const turn = await world.start()
  expect(await turn.done).toMatchObject({ kind: 'reply', text: 'Found.' })
  expect(world.thoughts.join('')).toBe('They want a search.')
  expect(world.deltas.join('')).toBe('Found.')
  expect(JSON.stringify(await world.log())).not.toContain('They want')
  expect(server.requests.at(-1)!.body.messages[2]).toMatchObject({
    role: 'assistant',
    reasoning_content: 'They want a search.\u001b[2J',
  })
})

it('a request whose thinking was shown is not retried after a broken connection', async () => {
  await using server = await startModelServer()
  const settings = sampleConfig({ endpoint: server.endpoint })
  await using world = await createTurnWorld(createModel(settings), { settings })
  server.play(cut({ reasoning: 'Let me think' }), answer([{ text: 'never asked' }]))
  expect(await world.ask()).toMatchObject({ kind: 'notice', level: 'error' })
  expect(server.requests).toHaveLength(1)
})

describe('calls of other models', () => {
  const configured = (name: string, model: ScriptedModel): ConfiguredModel => ({
    settings: sampleConfig({ name, backend: 'ollama' }),
    adapter: model,
  })

  /** Resolves when so many entries of this kind were delivered. */
  const delivered = (world: TurnWorld, kind: string, count: number): Promise<void> =>
    new Promise((resolve) => {
      let seen = 0
      world.room.listen({
        deliver(entry) {
          if (entry.kind === kind && (seen += 1) === count) resolve()
        },
      })
    })

  /** Starts a turn, and waits until the room has had so many replies and everything has ended. */
  async function converse(world: TurnWorld, replies: number): Promise<readonly string[]> {
    const all = delivered(world, 'reply', replies)
    await world.ask()
    await all
    await Promise.all(world.turns.running(world.room.name).map((turn) => turn.ended()))
    return (await world.log()).flatMap((entry) =>
      entry.kind === 'reply' ? [`${entry.author}: ${entry.text}`] : [],
    )
  }

  it("a model's mention of another model in its reply starts a turn, charged to the same requester", async () => {
    const llama = scriptedModel(say('I think so.'))
    await using world = await createTurnWorld(scriptedModel(say('@llama, what do you think?')), {
      settings: { backend: 'ollama' },
      more: [configured('llama', llama)],
    })
    const notice = delivered(world, 'notice', 1)
    expect(await converse(world, 2)).toEqual(['qwen: @llama, what do you think?', 'llama: I think so.'])
    await notice
    expect(await world.lines()).toContain('notice: @qwen asked @llama: call 1 of at most 2 in a row')
    expect(llama.requests[0]!.prompt.message).toBe('qwen: @llama, what do you think?')
    const spent = await world.chatParts.storage.models.charges.spending(
      { payer: `person ${world.ann.id}` },
      0,
    )
    expect(spent).toHaveLength(2)
  })

  it('a mention inside <think> tags does not start a turn', async () => {
    const [second, third] = [scriptedModel(), scriptedModel(say('I know.'))]
    const qwen = scriptedModel(say('<think>@second? no, @third</think>', '@third knows'))
    await using world = await createTurnWorld(qwen, {
      settings: { backend: 'ollama' },
      more: [configured('second', second), configured('third', third)],
    })
    expect(await converse(world, 2)).toEqual(['qwen: @third knows', 'third: I know.'])
  })

  it('mentions in replies start turns up to turn_depth, and a notice names models not asked', async () => {
    const qwen = scriptedModel(say('@llama 1'), say('@llama 3'))
    const llama = scriptedModel(say('@qwen 2'))
    await using world = await createTurnWorld(qwen, {
      settings: { backend: 'ollama' },
      more: [configured('llama', llama)],
    })
    const notices = delivered(world, 'notice', 3)
    expect(await converse(world, 3)).toEqual(['qwen: @llama 1', 'llama: @qwen 2', 'qwen: @llama 3'])
    await notices
    expect(await world.lines()).toContain('notice: @llama asked @qwen: call 2 of at most 2 in a row')
    expect((await world.lines()).at(-1)).toBe(
      'notice: @qwen mentioned @llama, which was not asked: models call each other 2 times in a row; write @llama to go on',
    )
    expect(world.turns.running(world.room.name)).toEqual([])
  })

  it('a mention in a reply starts no turn if turn_depth is 0 or the model mentions itself', async () => {
    const llama = scriptedModel()
    await using world = await createTurnWorld(scriptedModel(say('@llama @qwen?')), {
      settings: { backend: 'ollama' },
      more: [configured('llama', llama)],
      limits: { turn_depth: 0 },
    })
    expect(await converse(world, 1)).toEqual(['qwen: @llama @qwen?'])
    await using other = await createTurnWorld(scriptedModel(say('I am @qwen')))
    expect(await converse(other, 1)).toEqual(['qwen: I am @qwen'])
  })

  it('a notice in the room says why a mentioned model was not asked', async () => {
    const llama = scriptedModel()
    await using world = await createTurnWorld(scriptedModel(say('@llama?')), {
      settings: { backend: 'ollama' },
      more: [configured('llama', llama)],
      limits: { tokens_per_person_day: 5 },
    })
    const notice = delivered(world, 'notice', 1)
    await world.ask()
    await notice
    expect(await world.lines()).toEqual([
      'reply: @llama?',
      expect.stringMatching(/^notice: @qwen mentioned @llama, which was not asked: the quota of ann/),
    ])
    expect(llama.requests).toEqual([])
  })

  it('all models that one message mentions answer it', async () => {
    const llama = scriptedModel(say('b'))
    await using world = await createTurnWorld(scriptedModel(say('a')), {
      settings: { backend: 'ollama' },
      more: [configured('llama', llama)],
    })
    const turns = await Promise.all([world.start(), world.start('hello', { model: 'llama' })])
    const last = await Promise.all(turns.map((turn) => turn.done))
    expect(last.map((entry) => entry.author)).toEqual(['qwen', 'llama'])
  })
})
