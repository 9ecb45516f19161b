import { expect, test } from 'vitest'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

test('/join takes a session into a public room, and into a private one after an invitation', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'join hall', 'lobby')).toEqual({ ...done(), moves: ['hall'] })
  await world.exec(world.ann, 'invite den bob')
  expect(await world.type(world.bob, 'join den')).toEqual({ ...done(), moves: ['den'] })
  expect(await world.exec(world.bob, 'who den')).toMatchObject({ status: 0 })
})

test('/join of the room that one is in says so', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'join lobby', 'lobby')).toEqual(done('you are in lobby'))
})

test.each(['den', 'nowhere', 'x'.repeat(50), '__proto__', '..'])(
  '/join %s is refused in the same words, whether the room is private or missing',
  async (name) => {
    await using world = await createCommandWorld()
    const sentence = `there is no room called ${name.slice(0, 40)}; see /rooms, or make it with /create`
    expect(await world.type(world.bob, `join ${name}`)).toEqual(refused(sentence))
  },
)

test('a script joins a room as a member, which all in the room see; a private one after an invitation', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'invite den bob')
  expect(await world.exec(world.bob, 'join den')).toEqual(done('you are a member of den now'))
  expect(await world.texts('den')).toEqual(['bob joined'])
  expect(await world.exec(world.bob, 'join hall')).toEqual(done('you are a member of hall now'))
  expect(await world.exec(world.bob, 'join hall')).toEqual(done('you are a member of hall already'))
  expect(await world.exec(world.ann, 'join hall')).toEqual(done('you are a member of hall already'))
  expect(await world.exec(world.guest, 'join hall')).toEqual(
    refused('guests are members of no room; log in with a name of your own'),
  )
  expect(await world.exec(world.bob, 'join')).toEqual(misused('join: NAME is missing', 'join NAME'))
})
