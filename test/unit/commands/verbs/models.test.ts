import { expect, test } from 'vitest'
import { createCommandWorld, done, jsonOf } from '../../../support/commands/command-world.ts'

test('/models lists the models, what they read and wrote, and no key', async () => {
  await using world = await createCommandWorld()
  const unused = '@qwen  guide qwen3:8b, window 8000; 0 turns, 0 tokens read, 0 written'
  expect(await world.type(world.bob, 'models')).toEqual(done(unused))
  await world.exec(world.bob, 'ask hall qwen tools')
  expect(jsonOf(await world.exec(world.bob, 'models --json'))).toEqual([
    {
      ...{ name: 'qwen', backend: 'guide', model: 'qwen3:8b', enabled: true, contextWindow: 8000 },
      ...{ maxOutput: 1000, encoding: 'o200k_base', calibration: 1, reports: 0 },
      ...{ doubted: 0, configuredWindow: 8000, turns: 1, input: 0, cached: 0, output: 0 },
    },
  ])
})
