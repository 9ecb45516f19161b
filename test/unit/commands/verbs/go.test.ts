import { expect, test } from 'vitest'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

test('/go takes a session through an exit, and a person who was invited becomes a member', async () => {
  await using world = await createCommandWorld()
  for (const line of ['portal hall down den', 'portal hall west lobby', 'invite den bob'])
    await world.exec(world.ann, line)
  expect(await world.type(world.bob, 'go DOWN')).toEqual({ ...done(), moves: ['den'] })
  expect(await world.exec(world.ann, 'invite den bob')).toEqual(refused('bob is a member already'))
})

test('/go is refused where there is no such exit, where it leads to no room for this person, and to scripts', async () => {
  await using world = await createCommandWorld()
  for (const line of ['portal hall down den', 'portal hall west lobby']) await world.exec(world.ann, line)
  for (const way of ['up', 'down', '__proto__', 'x'.repeat(40)]) {
    const sentence = `there is no exit ${way} in hall; the exits are: west`
    expect(await world.type(world.bob, `go ${way}`)).toEqual(refused(sentence))
  }
  expect(await world.exec(world.ann, 'go west')).toEqual(
    refused('a script is in no room; name the room instead: say ROOM TEXT'),
  )
  expect(await world.type(world.ann, 'go')).toEqual(misused('go: DIRECTION is missing', '/go DIRECTION'))
})
