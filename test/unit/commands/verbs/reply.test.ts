import { expect, test } from 'vitest'
import { createCommandWorld, done, refused } from '../../../support/commands/command-world.ts'

test('/reply goes to whoever wrote last, from a script too', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.bob, 'reply hi')).toEqual(
    refused('nobody has written to you yet; msg NAME TEXT writes to somebody'),
  )
  await world.talk.openSession({
    person: world.bob,
    print() {},
    message() {},
    bell() {},
  })
  await world.exec(world.ann, 'msg bob hi')
  expect(await world.exec(world.bob, 'reply hello you')).toEqual(done('you -> ann: hello you'))
})
