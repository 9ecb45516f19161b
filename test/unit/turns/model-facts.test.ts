import { expect, test, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../src/base/amounts.ts'
import { ModelFactsTable } from '../../../src/turns/model-facts.ts'
import type { ConfiguredModel, ModelFacts } from '../../../src/wrap/loop/model.ts'
import { handClock, memoryLog } from '../../support/chat-parts.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { scriptedModel, say } from '../../support/scripted-model.ts'
import { anotherModel, createTurnWorld, SECRET_KEY } from '../../support/turn-world.ts'

/** A model whose server answers with these facts, one for each time it is asked; where there are no more, it is away. */
function asked(...answers: readonly ModelFacts[]): ConfiguredModel & { readonly times: () => number } {
  let times = 0
  const inquire = async (): Promise<ModelFacts> => {
    const answer = answers[times++]
    if (!answer) throw new Error('the server is away')
    return answer
  }
  return { settings: sampleConfig({}), adapter: { ...scriptedModel(), inquire }, times: () => times }
}

function opened() {
  const clock = handClock()
  const log = memoryLog()
  return { clock, log, facts: new ModelFactsTable(clock, log) }
}

test('a model server is asked for its facts once for concurrent requests, and again after 11 minutes', async () => {
  const it = opened()
  const model = asked({ window: 6000 }, { window: 4000 })
  const all = await Promise.all([1, 2, 3].map(() => it.facts.settingsOf(model)))
  expect(all.map(({ contextWindow }) => contextWindow)).toEqual([6000, 6000, 6000])
  expect(model.times()).toBe(1)
  it.clock.advance(11 * 60_000)
  expect((await it.facts.settingsOf(model)).contextWindow).toBe(4000)
})

test('known facts of a model server stay in use while it is unreachable', async () => {
  const it = opened()
  const model = asked({ window: 6000, tools: false })
  await it.facts.settingsOf(model)
  it.clock.advance(11 * 60_000)
  expect(await it.facts.settingsOf(model)).toMatchObject({
    contextWindow: 6000,
    lacks: { tools: 'its server says that it takes no tools' },
  })
  await it.facts.settingsOf(model)
  expect(model.times()).toBe(2)
  it.clock.advance(31_000)
  await it.facts.settingsOf(model)
  expect(model.times()).toBe(3)
})

test('a model server is asked for its facts after a failed request unless it is down', async () => {
  const it = opened()
  const model = asked({ window: 6000 }, { window: 4000 })
  await it.facts.settingsOf(model)
  it.facts.requestFailed(model.settings)
  expect((await it.facts.settingsOf(model)).contextWindow).toBe(4000)
  it.facts.requestFailed(model.settings)
  await it.facts.settingsOf(model)
  it.facts.requestFailed(model.settings)
  await it.facts.settingsOf(model)
  expect(model.times()).toBe(3)
  it.clock.advance(31_000)
  await it.facts.settingsOf(model)
  expect(model.times()).toBe(4)
})

test('a reported window only lowers the configured one, and an answer gets at most half of it', async () => {
  const it = opened()
  const roomy = await it.facts.settingsOf(asked({ window: 1_000_000 }))
  expect(roomy).toMatchObject({ contextWindow: 8000, maxOutput: 1000 })
  const other = opened()
  expect(await other.facts.settingsOf(asked({ window: 1500 }))).toMatchObject({
    contextWindow: 1500,
    maxOutput: 750,
  })
})

test('a lowered window gets the default max_output of its size if the default was configured', async () => {
  const it = opened()
  const { settings, ...model } = asked({ window: 8192 })
  const usual = { ...model, settings: { ...settings, contextWindow: 32_768, maxOutput: 4096 } }
  expect(await it.facts.settingsOf(usual)).toMatchObject({ contextWindow: 8192, maxOutput: 2048 })
})

test('a guessed window applies for an hour, or until the config is reloaded', () => {
  const it = opened()
  const model = asked()
  it.facts.assumePrompt(model, 3000, 1)
  expect(it.facts.lastKnown(model)).toMatchObject({
    ...{ contextWindow: 4000, maxOutput: 1000, isWindowGuessed: true },
  })
  it.clock.advance(HOUR_MS + 1)
  expect(it.facts.lastKnown(model)).toEqual(model.settings)
  it.facts.assumePrompt(model, 3000, 1)
  const readAgain = { ...model, settings: { ...model.settings } }
  expect(it.facts.lastKnown(readAgain)).toEqual(model.settings)
})

test('the smaller one of a guessed and a reported window applies, and only a guess is marked', () => {
  const it = opened()
  const model = asked()
  it.facts.assumePrompt(model, 3000, 1)
  it.facts.learn(model.settings, { window: 3000 })
  const narrowed = it.facts.lastKnown(model)
  expect(narrowed.contextWindow).toBe(3000)
  expect(narrowed).not.toHaveProperty('isWindowGuessed')
})

test('the longest accepted prompt is remembered until a shorter prompt is refused', () => {
  const it = opened()
  const { settings } = asked()
  it.facts.promptAccepted(settings, 900, 1)
  it.facts.promptAccepted(settings, 700, 1)
  expect(it.facts.longestAccepted(settings, 1000)).toBe(900)
  expect(it.facts.longestAccepted(settings, 800)).toBe(0)
  expect(it.facts.longestAccepted(settings, 1000)).toBe(0)
})

test('a guessed window keeps its prompt size and its answer when the calibration factor rises', () => {
  const it = opened()
  const model = asked()
  it.facts.assumePrompt(model, 1500, 1.25)
  it.facts.promptAccepted(model.settings, 1400, 2)
  const { contextWindow, maxOutput } = it.facts.lastKnown(model)
  expect((contextWindow - maxOutput) / 2).toBe(1500)
  expect(maxOutput).toBe(1000)
})

test('limits learned from refusals apply for a day', () => {
  const it = opened()
  const model = asked({})
  it.facts.learn(model.settings, { tools: false })
  it.facts.learn(model.settings, { window: 5000 })
  expect(it.facts.lastKnown(model)).toMatchObject({
    contextWindow: 5000,
    lacks: { tools: 'it refused tools' },
  })
  it.clock.advance(DAY_MS + 1)
  expect(it.facts.lastKnown(model)).toEqual(model.settings)
})

test('a series of guessed windows is logged once, and a later series is logged again', () => {
  const it = opened()
  const model = asked()
  const told = (): number => it.log.lines.filter((line) => line.includes('smaller windows are tried')).length
  for (const prompt of [4000, 3000, 2000]) it.facts.assumePrompt(model, prompt, 1)
  expect(told()).toBe(1)
  it.clock.advance(HOUR_MS + 1)
  it.facts.assumePrompt(model, 4000, 1)
  expect(told()).toBe(2)
})

it('the list of models has the usage of each model and no API key', async () => {
  await using world = await createTurnWorld(scriptedModel(say('a', 'b')), {
    more: [anotherModel('llama'), anotherModel('off', { enabled: false })],
  })
  await world.ask()
  const models = await world.turns.models(world.ann)
  expect(models).toMatchObject([
    { name: 'qwen', enabled: true, turns: 1, input: 10, output: 2 },
    { name: 'llama', enabled: true, turns: 0, input: 0, output: 0 },
    { name: 'off', enabled: false },
  ])
  expect(JSON.stringify(models)).not.toContain(SECRET_KEY)
})
