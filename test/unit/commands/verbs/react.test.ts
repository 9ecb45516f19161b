import { expect, test } from 'vitest'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

const form = '/react EMOJI…'

test('/react puts an emoji on the last line, or on the one with an id', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'say hall one')
  expect(await world.type(world.bob, 'react 👍')).toEqual(done())
  const [line] = (await world.exec(world.bob, 'history hall --json')).out
  expect(await world.exec(world.bob, `react hall ${JSON.parse(line!).id} 🎉`)).toEqual(done())
  expect((await world.exec(world.bob, 'history hall')).out.map((one) => one.slice(17))).toEqual([
    'ann: one',
    '* bob reacted 👍 to ann',
    '* bob reacted 🎉 to ann',
  ])
})

test('/react is refused without an emoji, with too many words, and for a room that one does not see', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'react')).toMatchObject({ status: 2 })
  expect(await world.type(world.bob, 'react a b c')).toEqual(
    misused('react: it takes one emoji, and before it an id', form),
  )
  expect(await world.type(world.bob, 'react yes')).toEqual(refused('a reaction is one emoji, such as 👍'))
  expect(await world.exec(world.bob, 'react den 👍')).toMatchObject({ status: 1 })
  expect(await world.texts('den')).toEqual([])
})
