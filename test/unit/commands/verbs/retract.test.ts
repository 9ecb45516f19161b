import { expect, test } from 'vitest'
import { createCommandWorld, refused } from '../../../support/commands/command-world.ts'

test('/retract without a line of one’s own says for how long there is one', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'retract')).toEqual(
    refused(
      'you have said nothing here in the last 15 minutes that could be changed, or more than 300 lines were said since',
    ),
  )
  await world.exec(world.bob, 'say hall one')
  world.turnWorld.chatParts.clock.advance(15 * 60_000 + 1)
  expect(await world.type(world.bob, 'retract')).toMatchObject({ status: 1 })
})
