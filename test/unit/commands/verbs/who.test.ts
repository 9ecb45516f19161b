import { expect, test } from 'vitest'
import { screenOf } from '../../../support/chat-parts.ts'
import { createCommandWorld, done, jsonOf } from '../../../support/commands/command-world.ts'

test('/who names the people in the room with what they may do, and the models', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.bob, 'who hall')).toEqual(done('nobody is here', 'models: @qwen'))
  const hall = await world.turnWorld.chatParts.rooms.get('hall', world.ann)
  for (const person of [world.bob, world.ann, world.root, world.guest]) await hall.enter(screenOf(person))
  expect(await world.type(world.bob, 'who')).toEqual(
    done('ann (owner), ann-2 (guest), bob, root (admin)', 'models: @qwen'),
  )
  expect(jsonOf(await world.exec(world.bob, 'who hall --json'))).toMatchObject({
    room: 'hall',
    people: [{ name: 'ann', role: 'owner' }, {}, {}, {}],
  })
})

test('/who of a private room is refused to who does not see it', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.root, 'who den')).toMatchObject({ status: 1, out: [] })
})
