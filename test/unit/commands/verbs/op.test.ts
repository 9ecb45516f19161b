import { expect, test } from 'vitest'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

test('/op lets a member manage the room, and /deop takes it back; all in the room see it', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.ann, 'op BOB')).toEqual(done())
  expect(await world.texts('hall')).toEqual(['ann made bob an op'])
  expect(await world.exec(world.bob, 'topic hall fish')).toMatchObject({ status: 0 })
  expect(await world.exec(world.ann, 'op hall bob')).toEqual(refused('bob is op of hall already'))
  expect(await world.exec(world.bob, 'deop hall ann')).toEqual(refused('ann is no op of hall'))
  expect(await world.exec(world.ann, 'deop hall bob')).toEqual(done("ann took the op's rights from bob"))
  expect(await world.exec(world.bob, 'topic hall fish')).toMatchObject({ status: 1 })
})

test('/op is refused to others, for strangers, and in a private room for who is no member', async () => {
  await using world = await createCommandWorld()
  const notYou = refused('only the owner of hall, an op or an admin can make ops')
  for (const person of [world.bob, world.guest])
    expect(await world.exec(person, 'op hall bob')).toEqual(notYou)
  for (const name of ['nobody', '__proto__', 'ann-2'])
    expect(await world.exec(world.ann, `op hall ${name}`)).toEqual(
      refused(`nobody called ${name} has registered here`),
    )
  await world.exec(world.ann, 'invite den bob')
  for (const name of ['bob', 'nobody'])
    expect(await world.exec(world.ann, `op den ${name}`)).toEqual(
      refused(`${name} is no member of den; invite them first, and once they have joined they can be op`),
    )
  expect(await world.exec(world.ann, 'op hall')).toEqual(misused('op: NAME is missing', 'op ROOM NAME'))
})
