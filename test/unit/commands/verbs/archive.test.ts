import { expect, test } from 'vitest'
import { createCommandWorld, done, refused } from '../../../support/commands/command-world.ts'

test('/archive closes a room to all who would speak, its owner and models too, until it is opened again', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.bob, 'archive hall')).toEqual(
    refused('only the owner of hall or an admin can archive it'),
  )
  expect(await world.type(world.ann, 'archive')).toEqual(done())
  expect(await world.exec(world.ann, 'archive hall')).toEqual(refused('hall is archived already'))
  for (const person of [world.ann, world.bob, world.root])
    for (const line of ['say hall x', 'ask hall @qwen x', 'me hall x'])
      expect((await world.exec(person, line)).err.join()).toMatch(/^hall is archived: it can be read/)
  expect(await world.exec(world.bob, 'history hall')).toMatchObject({ status: 0 })
  expect(await world.exec(world.ann, 'archive hall off')).toEqual(done('ann opened the room again'))
  expect(await world.exec(world.bob, 'say hall x')).toMatchObject({ status: 0 })
  expect(await world.exec(world.root, 'archive lobby')).toEqual(
    refused("the lobby is everybody's; nobody can archive it"),
  )
})
