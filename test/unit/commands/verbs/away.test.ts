import { expect, test } from 'vitest'
import { screenOf } from '../../../support/chat-parts.ts'
import { createCommandWorld, done, jsonOf } from '../../../support/commands/command-world.ts'

test('/away is shown by /who, until the person speaks', async () => {
  await using world = await createCommandWorld()
  const hall = await world.turnWorld.chatParts.rooms.get('hall', world.ann)
  for (const person of [world.ann, world.bob]) await hall.enter(screenOf(person))
  expect(await world.type(world.bob, 'away')).toEqual(done('you are away, until you say something'))
  await world.type(world.ann, 'away back at two')
  expect((await world.type(world.bob, 'who')).out[0]).toBe('ann (owner, away: back at two), bob (away)')
  expect(jsonOf(await world.exec(world.bob, 'who hall --json'))).toMatchObject({
    people: [
      { name: 'ann', away: 'back at two' },
      { name: 'bob', away: '' },
    ],
  })
  await world.exec(world.bob, 'say hall here')
  await world.exec(world.ann, 'me hall waves')
  expect((await world.type(world.bob, 'who')).out[0]).toBe('ann (owner), bob')
  expect(await world.type(world.bob, `away ${'x'.repeat(201)}`)).toMatchObject({ status: 1, out: [] })
})
