import { expect, test } from 'vitest'
import { createCommandWorld, done, refused } from '../../../support/commands/command-world.ts'

test('/ignore lists, adds, and takes back', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.ann, 'ignore')).toEqual(done('you ignore nobody'))
  expect(await world.exec(world.ann, 'ignore @BOB')).toEqual(
    done('you ignore bob now; the same again undoes it'),
  )
  await world.exec(world.ann, 'ignore root')
  expect(await world.exec(world.ann, 'ignore')).toEqual(done('bob, root'))
  expect(await world.exec(world.ann, 'ignore b0b')).toEqual(done('you hear bob again'))
  expect(await world.exec(world.ann, 'ignore')).toEqual(done('root'))
})

test('/ignore of nobody, and of oneself, is refused', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.ann, 'ignore ann')).toEqual(refused('you cannot ignore yourself'))
  expect(await world.exec(world.ann, 'ignore qwen')).toEqual(
    refused('nobody can be reached as qwen; who lists the people of a room'),
  )
})
