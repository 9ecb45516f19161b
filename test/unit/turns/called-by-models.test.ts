import { describe, expect, it } from 'vitest'
import type { ConfiguredModel } from '../../../src/turns/ports.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { say, scriptedModel, type ScriptedModel } from '../../support/scripted-model.ts'
import { createTurnWorld, type TurnWorld } from '../../support/turn-world.ts'

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

describe('a model that mentions others in its reply', () => {
  it('calls them, for the person who called it', async () => {
    const llama = scriptedModel(say('I think so.'))
    await using world = await createTurnWorld(scriptedModel(say('@llama, what do you think?')), {
      settings: { backend: 'ollama' },
      more: [configured('llama', llama)],
    })
    expect(await converse(world, 2)).toEqual(['qwen: @llama, what do you think?', 'llama: I think so.'])
    expect(llama.requests[0]!.prompt.message).toBe('qwen: @llama, what do you think?')
    const spent = await world.chatParts.storage.models.charges.spending(
      { payer: `person ${world.ann.id}` },
      0,
    )
    expect(spent).toHaveLength(2)
  })

  it('calls nobody whom only a thought between tags names', async () => {
    const [second, third] = [scriptedModel(), scriptedModel(say('I know.'))]
    const qwen = scriptedModel(say('<think>@second? no, @third</think>', '@third knows'))
    await using world = await createTurnWorld(qwen, {
      settings: { backend: 'ollama' },
      more: [configured('second', second), configured('third', third)],
    })
    expect(await converse(world, 2)).toEqual(['qwen: @third knows', 'third: I know.'])
  })

  it('goes on as deep as turn_depth, and no deeper', async () => {
    const qwen = scriptedModel(say('@llama 1'), say('@llama 3'))
    const llama = scriptedModel(say('@qwen 2'))
    await using world = await createTurnWorld(qwen, {
      settings: { backend: 'ollama' },
      more: [configured('llama', llama)],
    })
    expect(await converse(world, 3)).toEqual(['qwen: @llama 1', 'llama: @qwen 2', 'qwen: @llama 3'])
    expect(world.turns.running(world.room.name)).toEqual([])
  })

  it('calls nobody where turn_depth is 0, and never itself', async () => {
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

  it('is told in the room where one could not be asked', async () => {
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
})

describe('several models in one message', () => {
  it('all answer', async () => {
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
