import { expect, test } from 'vitest'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

test('/nav is off, is set by who manages the room, and says so', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'nav')).toEqual(done('off'))
  expect(await world.type(world.ann, 'nav on')).toEqual(done())
  expect(await world.texts('hall')).toEqual(['ann turned nav on: models may walk here'])
  expect(await world.type(world.bob, 'nav')).toEqual(done('on'))
  expect(await world.exec(world.root, 'nav hall off')).toEqual(
    done('root turned nav off: models may not walk here'),
  )
})

test('/nav takes on or off and nothing else, whoever asks; a room that is not there comes first', async () => {
  await using world = await createCommandWorld()
  for (const word of ['ON', 'maybe', 'constructor', 'x'.repeat(99)])
    for (const person of [world.ann, world.bob])
      expect(await world.type(person, `nav ${word}`)).toEqual(
        misused(`nav: on or off, not ${word.slice(0, 40)}`, '/nav [STATE]'),
      )
  expect(await world.exec(world.bob, 'nav hall maybe')).toEqual(
    misused('nav: on or off, not maybe', 'nav ROOM [STATE]'),
  )
  expect(await world.exec(world.bob, 'nav den maybe')).toMatchObject({ status: 1 })
  expect(await world.type(world.bob, 'nav on')).toEqual(
    refused('only the owner of hall, an op or an admin can say whether models may walk'),
  )
})
