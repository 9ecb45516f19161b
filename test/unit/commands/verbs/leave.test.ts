import { expect, test } from 'vitest'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

test('/leave goes back to the lobby, and from there nowhere', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'leave')).toEqual({ ...done(), moves: ['lobby'] })
  expect(await world.type(world.bob, 'leave', 'lobby')).toEqual(
    refused('you are in the lobby; /quit leaves the server'),
  )
})

test('a script takes its own membership back, and a private room is not there for it any more', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'invite den bob')
  await world.exec(world.bob, 'join den')
  expect(await world.exec(world.bob, 'leave den')).toEqual(done('you are no member of den any more'))
  expect(await world.texts('den')).toEqual(['bob left'])
  const gone = refused('there is no room called den; see rooms, or make it with create')
  for (const line of ['leave den', 'join den', 'history den'])
    expect(await world.exec(world.bob, line)).toEqual(gone)
  expect(await world.exec(world.bob, 'leave hall')).toEqual(refused('you are no member of hall'))
  expect(await world.exec(world.ann, 'leave den')).toEqual(
    refused('you own den, and its owner stays; archive or delete it instead'),
  )
  expect(await world.exec(world.bob, 'leave')).toEqual(misused('leave: ROOM is missing', 'leave ROOM'))
})
