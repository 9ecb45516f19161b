import { describe, expect, it } from 'vitest'
import { createModel } from '../../../src/adapters/models/index.ts'
import { type ConfiguredModel, ModelError } from '../../../src/turns/ports.ts'
import { requestsOf } from '../../../src/turns/turn-log.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { answer, cut, hang, startModelServer } from '../../support/model-server.ts'
import { call, fail, say, scriptedModel, type ScriptedModel } from '../../support/scripted-model.ts'
import { createTurnWorld, tool } from '../../support/turn-world.ts'

const configured = (name: string, model: ScriptedModel, change: object = {}): ConfiguredModel => ({
  settings: sampleConfig({ name, backend: 'guide', ...change }),
  adapter: model,
})

const down = new ModelError('qwen: nothing answers at http://localhost:1; is ollama running?', false)

describe('a model with a fallback', () => {
  it('that fails before it said anything is answered for, in the same turn, and the room is told who speaks', async () => {
    const small = scriptedModel(say('I am small'))
    await using world = await createTurnWorld(scriptedModel(fail(down)), {
      settings: { fallback: 'small' },
      more: [configured('small', small)],
    })
    const turn = await world.start('why?')
    expect(await turn.done).toMatchObject({
      kind: 'reply',
      author: 'small',
      text: 'I am small',
      turn: turn.id,
    })
    expect(await world.lines()).toEqual([
      'notice: @qwen: nothing answers at http://localhost:1; is ollama running?; @small is asked instead',
      'reply: I am small',
    ])
    expect(small.requests[0]!.prompt.system).toContain('@small')
    const record = (await world.chatParts.storage.models.turns.find(turn.id))!
    expect(record).toMatchObject({ model: 'small', outcome: 'done', usage: { input: 10, output: 1 } })
    expect(requestsOf(record)).toHaveLength(2)
  })

  it('hands on along a row of fallbacks, and fails where all do', async () => {
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

  it('that has begun to speak is not answered for', async () => {
    const small = scriptedModel()
    await using world = await createTurnWorld(scriptedModel(fail(down, 'Once upon')), {
      settings: { fallback: 'small' },
      more: [configured('small', small)],
    })
    expect(await world.ask()).toMatchObject({ kind: 'notice', level: 'error' })
    expect(small.requests).toEqual([])
  })

  it('that has called a tool is not answered for: what was done cannot be taken back', async () => {
    const small = scriptedModel()
    await using world = await createTurnWorld(scriptedModel(call(['Grep', {}]), fail(down)), {
      tools: [tool('Grep')],
      settings: { fallback: 'small' },
      more: [configured('small', small)],
    })
    expect(await world.ask()).toMatchObject({ kind: 'notice', level: 'error' })
    expect(small.requests).toEqual([])
  })

  it('that is stopped is not answered for, and a disabled fallback is none', async () => {
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
})

describe('what a model thinks', () => {
  it('is shown while it thinks, is no part of the reply, and goes back with its step', async () => {
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

  it('was shown, so that a break after it is not tried again', async () => {
    await using server = await startModelServer()
    const settings = sampleConfig({ endpoint: server.endpoint })
    await using world = await createTurnWorld(createModel(settings), { settings })
    server.play(cut({ reasoning: 'Let me think' }), answer([{ text: 'never asked' }]))
    expect(await world.ask()).toMatchObject({ kind: 'notice', level: 'error' })
    expect(server.requests).toHaveLength(1)
  })
})
