import { expect, test } from 'vitest'
import { spawnAgent } from '../../../src/tools/builtin/side-turns.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { call, say, scriptedModel, type ScriptedModel } from '../../support/scripted-model.ts'
import { createTurnWorld, tool, type TurnWorld } from '../../support/turn-world.ts'

const worldOf = (model: ScriptedModel) =>
  createTurnWorld(model, { tools: [spawnAgent, tool('look'), tool('touch', undefined, { access: 'write' })] })

const put = ({ turns, room }: TurnWorld, name: string, change: object = {}) =>
  turns.personas.put({
    ...{ room: room.name, name, model: 'qwen', text: 'find what breaks', tools: null },
    ...{ author: 'ann', at: 1, ...change },
  })

const asked = async (world: TurnWorld, name = 'critic') =>
  await (
    await world.start('well?', { model: name })
  ).done

const toolsOf = (model: ScriptedModel, request: number): readonly string[] | undefined =>
  model.requests[request]?.tools.map(({ name }) => name).toSorted()

test('a model of the config that takes the name of a persona is asked, and the persona is paused', async () => {
  await using world = await worldOf(scriptedModel(say('as a persona')))
  await put(world, 'critic')
  expect(await asked(world)).toMatchObject({ author: 'critic · qwen', persona: 'critic', model: 'qwen' })
  const settings = sampleConfig({ backend: 'guide', name: 'critic' })
  world.models.push({ settings, adapter: scriptedModel(say('hello')) })
  expect(await asked(world)).toMatchObject({ author: 'critic', text: 'hello' })
  const [listed] = await world.turns.personas.list(world.room.name)
  expect(listed).toMatchObject({ name: 'critic', paused: 'a model is called critic now' })
})

test('a persona whose model is gone is refused with that reason', async () => {
  await using world = await worldOf(scriptedModel())
  await put(world, 'critic', { model: 'gone' })
  expect(await world.turns.personas.namesIn(world.room.name)).toEqual(['qwen', 'critic'])
  await expect(asked(world)).rejects.toThrow('@critic is paused: there is no model @gone now')
})

test('a room has at most personas_per_room personas', async () => {
  await using world = await worldOf(scriptedModel())
  for (const name of ['a', 'b', 'c', 'c']) await put(world, name)
  await expect(put(world, 'd')).rejects.toThrow(
    'lobby has 3 personas, which is the limit (personas_per_room)',
  )
})

test("a persona and its side turns have no tool that the persona's patterns exclude", async () => {
  const model = scriptedModel(
    call(['touch', {}]),
    call(['spawn_agent', { prompt: 'go' }]),
    say('on the side'),
    say('well'),
    say('as qwen'),
  )
  await using world = await worldOf(model)
  await put(world, 'critic', { tools: ['look', 'spawn_agent'] })
  await asked(world)
  expect(toolsOf(model, 0)).toEqual(['look', 'spawn_agent'])
  expect(await world.log()).toContainEqual(expect.objectContaining({ kind: 'tool_result', isError: true }))
  expect(toolsOf(model, 2)).toEqual(['look', 'spawn_agent'])
  expect(model.requests[2]?.prompt.system).toContain('find what breaks')
  await asked(world, 'qwen')
  expect(toolsOf(model, 4)).toEqual(['look', 'spawn_agent', 'touch'])
})
