import { expect, test } from 'vitest'
import { createCommandWorld, done, misused } from '../../../support/commands/command-world.ts'

test('/exits lists only what leads somewhere for who is asking', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'exits')).toEqual(done('hall has no exits; /portal makes one'))
  for (const line of ['portal hall west lobby', 'portal hall down den']) await world.exec(world.ann, line)
  expect(await world.type(world.ann, 'exits')).toEqual(done('down  den', 'west  lobby'))
  expect(await world.type(world.bob, 'exits')).toEqual(done('west  lobby'))
  const json = '[{"direction":"west","room":"lobby"}]'
  expect(await world.exec(world.bob, 'exits hall --json')).toEqual(done(json))
  expect(await world.exec(world.bob, 'exits hall west')).toEqual(
    misused('exits: "west" is one word too many', 'exits ROOM [--json]'),
  )
})
