import { expect, test } from 'vitest'
import { createCommandWorld, done } from '../../../support/commands/command-world.ts'

test('/whoami tells name and role as they are now', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'whoami')).toEqual(done('bob (member)'))
  expect(await world.exec(world.root, 'whoami')).toEqual(done('root (admin)'))
  expect(await world.exec(world.guest, 'whoami --json')).toEqual(done('{"name":"ann-2","role":"guest"}'))
  await world.turnWorld.chatParts.storage.chat.people.setAdmin(world.bob.id, true)
  expect(await world.type(world.bob, 'whoami')).toEqual(done('bob (admin)'))
})
