import { expect, test } from 'vitest'
import { calibrationKey } from '../../../../src/prompt/calibration/calibration.ts'
import { createCommandWorld, done, jsonOf } from '../../../support/commands/command-world.ts'

test('/models lists the models, what they read and wrote, and no key', async () => {
  await using world = await createCommandWorld()
  const unused = '@qwen  guide qwen3:8b, window 8000; 0 turns, 0 tokens read, 0 written'
  expect(await world.type(world.bob, 'models')).toEqual(done(unused))
  await world.exec(world.bob, 'ask hall qwen tools')
  expect(jsonOf(await world.exec(world.bob, 'models --json'))).toEqual([
    {
      ...{ name: 'qwen', backend: 'guide', model: 'qwen3:8b', enabled: true, contextWindow: 8000 },
      ...{ maxOutput: 1000, encoding: 'o200k_base' },
      ...{ configuredWindow: 8000, turns: 1, input: 0, cached: 0, output: 0 },
    },
  ])
})

test('/models tells a window that was guessed from one that the server takes', async () => {
  await using world = await createCommandWorld()
  const { known, models } = world.turnWorld
  const [model] = models
  known.guess(model!, { window: 4000, factor: 1 })
  expect((await world.exec(world.bob, 'models')).out.join()).toContain(
    'window 4000 (not 8000: a guess, since a longer prompt was refused)',
  )
  await known.learn(model!.settings, { window: 4000 })
  expect((await world.exec(world.bob, 'models')).out.join()).toContain('(not 8000: its server takes no more)')
})

test('/models tells nobody but admins what reports taught, and nobody how many, since they come from private rooms too', async () => {
  await using world = await createCommandWorld()
  const { storage } = world.turnWorld.chatParts
  const [qwen] = world.turnWorld.models
  const learned = {
    factor: 1.4,
    reports: 12,
    doubted: 1,
    at: 0,
    most: 1.5,
    mostAt: world.turnWorld.chatParts.clock.now(),
  }
  await storage.models.calibrations.put(calibrationKey(qwen!.settings), learned)
  const others = await Promise.all(
    [world.ann, world.bob, world.guest].map((one) => world.exec(one, 'models')),
  )
  for (const { out } of others) expect(out.join()).not.toMatch(/report|1\.5/)
  expect((await world.exec(world.root, 'models')).out.join()).toContain(
    'prompts are bounded by 1.50 times our count; what its server reports looks cut off',
  )
  expect(jsonOf(await world.exec(world.root, 'models --json'))).toMatchObject([
    { calibration: 1.5, isDoubted: true },
  ])
  const before = await Promise.all(['models', 'models --json'].map((words) => world.exec(world.root, words)))
  await storage.models.calibrations.put(calibrationKey(qwen!.settings), {
    ...learned,
    reports: 99,
    doubted: 7,
  })
  for (const [index, words] of ['models', 'models --json'].entries())
    expect(await world.exec(world.root, words)).toEqual(before[index])
})
