import { expect, test } from 'vitest'
import { calibrationKey } from '../../../../src/wrap/calibration.ts'
import { createCommandWorld, done, jsonOf, misused } from '../../../support/commands/command-world.ts'

test('/models lists the models with their tokens, and no API key', async () => {
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

test("/models shows whether a smaller window was guessed, and the limits of the model's server", async () => {
  await using world = await createCommandWorld()
  const { modelFacts, models } = world.turnWorld
  const [model] = models
  modelFacts.assumePrompt(model!, 3000, 1)
  expect((await world.exec(world.bob, 'models')).out.join()).toContain(
    'window 4000 (not 8000: a guess, since a longer prompt was refused)',
  )
  modelFacts.learn(model!.settings, { window: 4000 })
  expect((await world.exec(world.bob, 'models')).out.join()).toContain('(not 8000: its server takes no more)')
  modelFacts.learn(model!.settings, { maxOutput: 256 })
  expect((await world.exec(world.bob, 'models')).out.join()).toContain(
    'answers of at most 256 tokens: its server takes no more',
  )
})

test('/models shows calibration only to admins, and the number of reports to nobody', async () => {
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
    'its tokens are counted 50% above ours; what its server reports looks cut off',
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

const facts = '1 turn, 1 request, 0 tokens in, 0 out'
const groups = (day: string) => [
  'by model',
  `  @qwen  ${facts}`,
  'by person',
  `  bob  ${facts}`,
  'by day (UTC)',
  `  ${day}  ${facts}`,
]

test('/usage sums up one room or all rooms by model, person, room and day', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.bob, 'ask hall qwen tools')
  const [model, named, person, who, ...days] = groups('2026-01-01')
  const inHall = done(`hall, the last 7 days: ${facts}`, ...groups('2026-01-01'))
  expect(await world.exec(world.ann, 'usage hall')).toEqual(inHall)
  expect(await world.type(world.ann, 'usage')).toEqual(inHall)
  const everywhere = [model, named, person, who, 'by room', `  hall  ${facts}`, ...days].map(String)
  const all = done(`all rooms that you can see, the last 7 days: ${facts}`, ...everywhere)
  expect(await world.exec(world.ann, 'usage')).toEqual(all)
  expect(await world.type(world.ann, 'usage --all', 'lobby')).toEqual(all)
  expect(await world.exec(world.ann, 'usage lobby')).toEqual(
    done('no model was asked in lobby in the last 7 days'),
  )
  expect(jsonOf(await world.exec(world.ann, 'usage --json'))).toMatchObject({
    room: null,
    total: { turns: 1, requests: 1, cost: null, unpriced: 0 },
    models: [{ model: 'qwen', turns: 1 }],
    people: [{ person: 'bob' }],
    rooms: [{ room: 'hall' }],
    days: [{ day: '2026-01-01' }],
  })
})

test('/usage --days limits the days, and rejects numbers outside 1 to 366', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.bob, 'ask hall qwen tools')
  world.turnWorld.chatParts.clock.advance(25 * 60 * 60 * 1000)
  expect(await world.exec(world.ann, 'usage hall --days 1')).toEqual(
    done('no model was asked in hall in the last day'),
  )
  expect((await world.exec(world.ann, 'usage hall --days 2')).out).toHaveLength(7)
  for (const days of ['0', '367', '-1', '1.5', 'x', '99999999999'])
    expect(await world.exec(world.ann, `usage hall --days ${days}`)).toEqual(
      misused(
        'usage: --days takes a whole number from 1 to 366, such as --days 7',
        'usage [ROOM] [--days N] [--all] [--json]',
      ),
    )
})

test('/usage and /models count private rooms only for their members', async () => {
  await using world = await createCommandWorld()
  const { charges } = world.turnWorld.chatParts.storage.models
  const at = world.turnWorld.chatParts.clock.now()
  const price = { input: 2_500_000, cached: 250_000, output: 10_000_000 }
  const usage = { input: 1200, cached: 200, output: 10 }
  const charge = { at, person: 'ann', payers: [], model: 'qwen', opensTurn: true, usage }
  await charges.add({ ...charge, room: 'den', price })
  await charges.add({ ...charge, room: 'den', person: 'eve' })
  expect((await world.exec(world.ann, 'usage')).out[0]).toBe(
    'all rooms that you can see, the last 7 days: 2 turns, 2 requests, 2400 tokens in (400 cached), 20 out, ' +
      'cost 0.0027 (1210 tokens had no price)',
  )
  expect((await world.exec(world.ann, 'usage')).out).toContain(
    '  ann  1 turn, 1 request, 1200 tokens in (200 cached), 10 out, cost 0.0027',
  )
  for (const other of [world.bob, world.root, world.guest]) {
    expect(await world.exec(other, 'usage')).toEqual(
      done('no model was asked in all rooms that you can see in the last 7 days'),
    )
    expect(await world.exec(other, 'usage den')).toMatchObject({ status: 1, out: [] })
    expect(jsonOf(await world.exec(other, 'models --json'))).toMatchObject([{ turns: 0, input: 0 }])
  }
  expect(jsonOf(await world.exec(world.ann, 'models --json'))).toMatchObject([{ turns: 2, input: 2400 }])
})
