import { expect, test } from 'vitest'
import { createCommandWorld, done, refused } from '../../../support/commands/command-world.ts'

test('/leave goes back to the lobby, and from there nowhere; a script is in no room', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'leave')).toEqual({ ...done(), moves: ['lobby'] })
  expect(await world.type(world.bob, 'leave', 'lobby')).toEqual(
    refused('you are in the lobby; /quit leaves the server'),
  )
  expect(await world.exec(world.bob, 'leave')).toEqual(
    refused('a script is in no room, so there is none to leave'),
  )
})
