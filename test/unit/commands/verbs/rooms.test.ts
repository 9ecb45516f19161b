import { expect, test } from 'vitest'
import { screenOf } from '../../../support/chat-parts.ts'
import { createCommandWorld, done, jsonOf } from '../../../support/commands/command-world.ts'

test('/rooms lists the rooms that somebody sees, with their topics and how many are there', async () => {
  await using world = await createCommandWorld()
  await world.type(world.ann, 'topic plans')
  await (await world.turnWorld.chatParts.rooms.lobby()).enter(screenOf(world.bob))
  expect(await world.type(world.bob, 'rooms')).toEqual(done('hall  0 here  plans', 'lobby  1 here'))
  expect(await world.exec(world.ann, 'rooms')).toEqual(
    done('den  0 here  private', 'hall  0 here  plans', 'lobby  1 here'),
  )
  expect(jsonOf(await world.exec(world.root, 'rooms --json'))).toEqual([
    { name: 'hall', topic: 'plans', private: false, people: 0 },
    { name: 'lobby', topic: '', private: false, people: 1 },
  ])
})
