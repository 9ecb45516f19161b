import { expect, test } from 'vitest'
import { createCommandWorld, done, refused } from '../../../support/commands/command-world.ts'
import { screenOf } from '../../../support/chat-parts.ts'

test('/kick takes the sessions of somebody out of the room, and says so to all', async () => {
  await using world = await createCommandWorld()
  const hall = await world.turnWorld.chatParts.rooms.get('hall', world.bob)
  await hall.enter(screenOf(world.bob))
  const told: string[] = []
  const leave = async (room: string, why: string): Promise<void> => void told.push(`${room}: ${why}`)
  world.clients.begin({ person: world.bob, end: () => undefined, leave })
  expect(await world.exec(world.ann, 'kick hall bob too   loud')).toEqual(done('ann kicked bob: too loud'))
  expect(told).toEqual(['hall: ann kicked you out of hall: too loud; you may come back'])
  const [act] = await hall.history({ limit: 1 })
  expect(act).toMatchObject({ author: 'ann', act: { verb: 'kick', who: 'bob', reason: 'too loud' } })
})

test('/kick is refused for who is not there, and for oneself, the owner and admins', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'op hall bob')
  expect(await world.exec(world.ann, 'kick hall bob')).toEqual(refused('bob is not in hall'))
  expect(await world.exec(world.ann, 'kick hall nobody')).toEqual(
    refused('nobody called nobody is known here'),
  )
  expect(await world.exec(world.bob, 'kick hall bob')).toEqual(refused('that is yourself; nothing was done'))
  expect(await world.exec(world.bob, 'kick hall ann')).toEqual(
    refused('ann owns hall; ban from the server is the only way to put an owner out'),
  )
  expect(await world.exec(world.bob, 'kick hall root')).toEqual(
    refused('root is an admin; ban can put an admin out, from the server'),
  )
  expect(await world.exec(world.ann, `kick hall bob ${'x'.repeat(201)}`)).toEqual(
    refused('that is too long: 200 characters are allowed'),
  )
})
