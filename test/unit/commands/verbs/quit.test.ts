import { expect, test } from 'vitest'
import { createCommandWorld, done, misused } from '../../../support/commands/command-world.ts'

test('/quit ends a session; a script ends by itself', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'QUIT')).toEqual({ ...done(), moves: ['quit'] })
  expect(await world.exec(world.bob, 'quit')).toEqual(done())
  expect(await world.type(world.bob, 'quit now')).toEqual(
    misused('quit: "now" is one word too many', '/quit'),
  )
})
