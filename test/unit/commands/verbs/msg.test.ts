import { expect, test } from 'vitest'
import { createCommandWorld, done, misused } from '../../../support/commands/command-world.ts'

test('/msg writes to one person alone, and nothing of it is in a room', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.ann, 'msg BOB  two  words')).toEqual(done('you -> bob: two  words'))
  // A session shows it as all sessions of its person do.
  expect(await world.type(world.ann, 'w bob again')).toEqual(done())
  expect(await world.texts('hall', 9)).toEqual([])
  expect(await world.type(world.ann, 'msg bob')).toEqual(misused('msg: TEXT is missing', '/msg NAME TEXT…'))
  expect(await world.type(world.ann, 'msg nobody hi')).toMatchObject({ status: 1, out: [] })
})

test('/msg says once that somebody is away, and ends the absence of who writes', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.bob, 'away lunch')
  await world.exec(world.ann, 'away')
  expect(await world.exec(world.ann, 'msg bob hi')).toEqual(
    done('you -> bob: hi', '-- bob is away: lunch', '-- you are not away any more'),
  )
  expect(await world.exec(world.ann, 'msg bob hi')).toEqual(done('you -> bob: hi'))
})
