import { expect, test } from 'vitest'
import { createCommandWorld, done, jsonOf } from '../../../support/commands/command-world.ts'

const NONE = 'no model was called in the last 24 hours'

test('/usage counts the turns of the last day, in a room or everywhere', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.bob, 'ask hall qwen tools')
  const line = '@qwen  1 turns, 0 tokens read, 0 written'
  for (const words of ['usage', 'usage hall']) expect(await world.exec(world.ann, words)).toEqual(done(line))
  expect(await world.exec(world.ann, 'usage lobby')).toEqual(done(NONE))
  expect(await world.type(world.ann, 'usage')).toEqual(done(line))
  expect(await world.type(world.ann, 'usage', 'lobby')).toEqual(done(NONE))
  expect(jsonOf(await world.exec(world.ann, 'usage --json'))).toMatchObject({
    room: null,
    models: [{ model: 'qwen', turns: 1 }],
  })
  world.turnWorld.chatParts.clock.advance(25 * 60 * 60 * 1000)
  expect(await world.exec(world.ann, 'usage')).toEqual(done(NONE))
  expect(await world.exec(world.bob, 'usage den')).toMatchObject({ status: 1, out: [] })
})
