import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../src/lib/duration.ts'
import { createKnownModels } from '../../../src/turns/known-models.ts'
import type { ConfiguredModel, ModelFacts } from '../../../src/turns/ports.ts'
import { handClock, memoryLog } from '../../support/chat-parts.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { scriptedModel } from '../../support/scripted-model.ts'
import { openInMemory } from '../../support/storage.ts'

/** A model whose server answers with these facts, one for each time it is asked; where there are no more, it is away. */
function asked(...answers: readonly ModelFacts[]): ConfiguredModel & { readonly times: () => number } {
  let times = 0
  const inquire = async (): Promise<ModelFacts> => {
    const answer = answers[times++]
    if (!answer) throw new Error('the server is away')
    return answer
  }
  return { settings: sampleConfig({}), model: { ...scriptedModel(), inquire }, times: () => times }
}

async function opened() {
  const storage = await openInMemory()
  const clock = handClock()
  const log = memoryLog()
  const known = createKnownModels(storage.models.facts, clock, log)
  return { storage, clock, log, known, [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose]() }
}

test('a server is asked once for all who want to know, and again after a while', async () => {
  await using it = await opened()
  const model = asked({ window: 6000 }, { window: 4000 })
  const all = await Promise.all([1, 2, 3].map(() => it.known.settingsOf(model)))
  expect(all.map(({ contextWindow }) => contextWindow)).toEqual([6000, 6000, 6000])
  expect(model.times()).toBe(1)
  it.clock.advance(11 * 60_000)
  expect((await it.known.settingsOf(model)).contextWindow).toBe(4000)
})

test('what a server said holds while it is away, also after a restart', async () => {
  await using it = await opened()
  await it.known.settingsOf(asked({ window: 6000, tools: false }))
  const later = createKnownModels(it.storage.models.facts, it.clock, memoryLog())
  const away = asked()
  expect(await later.settingsOf(away)).toMatchObject({
    contextWindow: 6000,
    lacks: { tools: 'its server says that it takes no tools' },
  })
  await later.settingsOf(away)
  expect(away.times()).toBe(1)
  it.clock.advance(31_000)
  await later.settingsOf(away)
  expect(away.times()).toBe(2)
})

test('a server is asked again after a request to its model failed, but not while it is known to be away', async () => {
  await using it = await opened()
  const model = asked({ window: 6000 }, { window: 4000 })
  await it.known.settingsOf(model)
  it.known.failed(model.settings)
  expect((await it.known.settingsOf(model)).contextWindow).toBe(4000)
  it.known.failed(model.settings)
  await it.known.settingsOf(model)
  it.known.failed(model.settings)
  await it.known.settingsOf(model)
  expect(model.times()).toBe(3)
  it.clock.advance(31_000)
  await it.known.settingsOf(model)
  expect(model.times()).toBe(4)
})

test('a window is only ever lowered, and an answer has at most half of a lowered one', async () => {
  await using it = await opened()
  const roomy = await it.known.settingsOf(asked({ window: 1_000_000 }))
  expect(roomy).toMatchObject({ contextWindow: 8000, maxOutput: 1000 })
  await using other = await opened()
  expect(await other.known.settingsOf(asked({ window: 1500 }))).toMatchObject({
    contextWindow: 1500,
    maxOutput: 750,
  })
})

test('a lowered window keeps as much for the answer as a configured one, where nobody says how much', async () => {
  await using it = await opened()
  const { settings, ...model } = asked({ window: 8192 })
  const usual = { ...model, settings: { ...settings, contextWindow: 32_768, maxOutput: 4096 } }
  expect(await it.known.settingsOf(usual)).toMatchObject({ contextWindow: 8192, maxOutput: 2048 })
})

test('a guessed window holds for an hour, or until the config is read again, and is not stored', async () => {
  await using it = await opened()
  const model = asked()
  const guess = { window: 4000, factor: 1.2 }
  it.known.guess(model, guess)
  expect(await it.known.lastKnown(model)).toMatchObject({
    ...{ contextWindow: 4000, maxOutput: 1000, guessFactor: 1.2 },
  })
  const restarted = createKnownModels(it.storage.models.facts, it.clock, memoryLog())
  expect(await restarted.lastKnown(model)).toEqual(model.settings)
  it.clock.advance(HOUR_MS + 1)
  expect(await it.known.lastKnown(model)).toEqual(model.settings)
  it.known.guess(model, guess)
  const readAgain = { ...model, settings: { ...model.settings } }
  expect(await it.known.lastKnown(readAgain)).toEqual(model.settings)
})

test('the smaller one of a guessed window and of a told one holds, and only a guess is called one', async () => {
  await using it = await opened()
  const model = asked()
  it.known.guess(model, { window: 4000, factor: 1 })
  await it.known.learn(model.settings, { window: 3000 })
  const narrowed = await it.known.lastKnown(model)
  expect(narrowed.contextWindow).toBe(3000)
  expect(narrowed).not.toHaveProperty('guessFactor')
})

test('the longest prompt that was taken is known until a shorter one is refused', async () => {
  await using it = await opened()
  const { settings } = asked()
  it.known.taken(settings, 900)
  it.known.taken(settings, 700)
  expect(it.known.longestTaken(settings, 1000)).toBe(900)
  expect(it.known.longestTaken(settings, 800)).toBe(0)
  expect(it.known.longestTaken(settings, 1000)).toBe(0)
})

test('what refusals taught holds for a day', async () => {
  await using it = await opened()
  const model = asked({})
  await it.known.learn(model.settings, { tools: false })
  await it.known.learn(model.settings, { window: 5000 })
  expect(await it.known.lastKnown(model)).toMatchObject({
    contextWindow: 5000,
    lacks: { tools: 'it refused tools' },
  })
  it.clock.advance(DAY_MS + 1)
  expect(await it.known.lastKnown(model)).toEqual(model.settings)
})

test('windows that are guessed one after another are told once, and again when a new one follows', async () => {
  await using it = await opened()
  const model = asked()
  const told = (): number => it.log.lines.filter((line) => line.includes('smaller windows are tried')).length
  for (const window of [5000, 4000, 3000]) it.known.guess(model, { window, factor: 1 })
  expect(told()).toBe(1)
  it.clock.advance(HOUR_MS + 1)
  it.known.guess(model, { window: 5000, factor: 1 })
  expect(told()).toBe(2)
})
