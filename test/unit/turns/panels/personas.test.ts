import { expect, test } from 'vitest'
import type { Entry } from '../../../../src/words/entry.ts'
import type { ModelRequest } from '../../../../src/wrap/loop/model.ts'
import { say, scriptedModel, type ScriptedStep } from '../../../support/scripted-model.ts'
import { anotherModel, createTurnWorld, tool, type TurnWorld } from '../../../support/turn-world.ts'

const INSTRUCTIONS = { reviewer: 'find what breaks', judge: 'be just' }

/** The persona that a request has the instruction of; `qwen` for none. */
const speaker = ({ prompt }: ModelRequest): string =>
  Object.entries(INSTRUCTIONS).find(([, text]) => prompt.system.includes(text))?.[0] ?? 'qwen'

/** Two members of one model are asked at once, so that what each says does not depend on the order. */
const speaks: ScriptedStep = (request, signal) => say(`I am ${speaker(request)}`)(request, signal)

const put = ({ turns, room }: TurnWorld, name: keyof typeof INSTRUCTIONS, tools: readonly string[] | null) =>
  turns.personas.put({
    ...{ room: room.name, name, model: 'qwen', text: INSTRUCTIONS[name], tools, author: 'ann', at: 1 },
  })

async function worldOf(model: ReturnType<typeof scriptedModel>) {
  const touch = tool('touch', undefined, { access: 'write' })
  const world = await createTurnWorld(model, { tools: [tool('look'), tool('Grep'), tool('Glob'), touch] })
  await put(world, 'reviewer', ['look', 'Glob', 'touch'])
  await put(world, 'judge', [])
  await world.setScope(['look', 'Grep', 'touch'])
  return world
}

async function runPanel(
  { turns, room, ann }: TurnWorld,
  models: readonly string[],
  merger?: string,
  rounds = 1,
): Promise<Entry> {
  const panel = await turns.createPanel(room.name, { models, merger, rounds, question: 'why?' })
  const message = await room.record({ kind: 'message', author: ann.name, text: 'why?' })
  const model = (panel.merger ?? panel.members[0]!).name
  return await (
    await turns.start({ room, requester: ann, model, message, panel })
  ).done
}

test('a persona and its own model are members of a panel, each with its instruction and its tools', async () => {
  const model = scriptedModel(...Array.from({ length: 5 }, () => speaks))
  await using world = await worldOf(model)
  const last = await runPanel(world, ['reviewer', 'qwen'], 'judge', 2)
  expect(last).toMatchObject({ kind: 'reply', author: 'judge · qwen', persona: 'judge', model: 'qwen' })
  expect(model.requests.map(speaker).toSorted()).toEqual(['judge', 'qwen', 'qwen', 'reviewer', 'reviewer'])
  const tools = { reviewer: ['look'], qwen: ['Grep', 'look'], judge: [] }
  for (const request of model.requests) {
    const name = speaker(request) as keyof typeof tools
    expect(request.tools.map((one) => one.name).toSorted()).toEqual(tools[name])
    expect(JSON.stringify(request)).toContain(`You are @${name}`)
  }
  const merged = JSON.stringify(model.requests.at(-1))
  expect(merged).toContain('A panel of @reviewer, @qwen gave these answers')
  expect(merged).toMatch(/reviewer · qwen answered: I am reviewer.*qwen answered: I am qwen/)
  const parts = (await world.log()).filter(({ kind, thread }) => kind === 'reply' && thread !== undefined)
  expect(parts.map(({ author }) => author).toSorted()).toEqual([
    ...['qwen', 'qwen', 'reviewer · qwen', 'reviewer · qwen'],
  ])
})

test("the model that answered first merges a panel's answers if the first persona failed", async () => {
  const model = scriptedModel(() => {
    throw new Error('broken')
  })
  await using world = await worldOf(model)
  const other = scriptedModel(say('on my own'), say('all of it'))
  world.models.push({ ...anotherModel('bot'), adapter: other })
  const last = await runPanel(world, ['reviewer', 'bot'])
  expect(last).toMatchObject({ kind: 'reply', author: 'bot', text: 'all of it' })
  expect(last).not.toHaveProperty('persona')
  for (const { prompt, tools } of other.requests) {
    expect(prompt.system).not.toContain('find what breaks')
    expect(tools.map(({ name }) => name).toSorted()).toEqual(['Grep', 'look'])
  }
})

test('a panel with a paused persona, or with a name that nobody has, is refused', async () => {
  await using world = await worldOf(scriptedModel())
  world.models.push(anotherModel('judge'))
  world.models.shift()
  await expect(runPanel(world, ['judge', 'reviewer'])).rejects.toThrow(
    '@reviewer is paused: there is no model @qwen now',
  )
  await expect(runPanel(world, ['judge', 'nobody'])).rejects.toThrow('there is no model called @nobody')
})
