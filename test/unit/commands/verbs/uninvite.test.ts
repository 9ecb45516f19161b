import { expect, test } from 'vitest'
import { createCommandWorld, done, refused } from '../../../support/commands/command-world.ts'

test('/uninvite takes back an invitation, and takes a member out', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'invite den bob')
  expect(await world.type(world.ann, 'uninvite bob', 'den')).toEqual(done())
  expect(await world.texts('den')).toEqual(['ann took back the invitation of bob'])
  const gone = refused('there is no room called den; see rooms, or make it with create')
  expect(await world.exec(world.bob, 'join den')).toEqual(gone)
  for (const line of ['invite den bob']) await world.exec(world.ann, line)
  await world.exec(world.bob, 'join den')
  expect(await world.exec(world.ann, 'uninvite den bob')).toEqual(done('ann took bob out of the room'))
  expect(await world.exec(world.bob, 'history den')).toEqual(gone)
})

test('/uninvite says the same of strangers and of people who are not there, and reaches neither owner nor ops', async () => {
  await using world = await createCommandWorld()
  for (const name of ['bob', 'nobody'])
    expect(await world.exec(world.ann, `uninvite den ${name}`)).toEqual(
      refused(`${name} is neither invited to den nor a member of it`),
    )
  await world.exec(world.ann, 'invite den bob')
  await world.exec(world.bob, 'join den')
  await world.exec(world.ann, 'op den bob')
  expect(await world.exec(world.bob, 'uninvite den ann')).toEqual(refused('ann owns den'))
  expect(await world.exec(world.ann, 'uninvite den bob')).toEqual(refused('bob is an op; first: deop bob'))
  expect(await world.exec(world.ann, 'uninvite hall bob')).toEqual(
    refused('hall is public; to keep somebody out: ban --room hall bob'),
  )
})
