import { describe, expect, test } from 'vitest'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

describe('/portal', () => {
  test('makes an exit, and tells the room', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.ann, 'portal WEST lobby')).toEqual(done())
    expect(await world.texts('hall')).toEqual(['ann made an exit: west leads to lobby now'])
    expect(await world.exec(world.ann, 'portal hall up lobby')).toEqual(done('up leads to lobby now'))
  })

  test('into a private room is told only to who made it', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.ann, 'portal down den')).toEqual(done('down leads to den now'))
    expect(await world.texts('hall')).toEqual([])
  })

  test('takes an exit away', async () => {
    await using world = await createCommandWorld()
    await world.type(world.ann, 'portal west lobby')
    expect(await world.type(world.ann, 'portal west -')).toEqual(done('the exit west is gone'))
    expect(await world.type(world.ann, 'portal west -')).toEqual(
      refused('there is no exit west in hall; the exits are: none'),
    )
  })

  test('is refused for a room that its maker does not see, and for what cannot be a direction', async () => {
    await using world = await createCommandWorld()
    expect(await world.exec(world.root, 'portal hall down den')).toEqual(
      refused('there is no room called den; see rooms, or make it with create'),
    )
    for (const way of ['n,o', 'x'.repeat(33), 'süd'])
      expect(await world.type(world.ann, `portal ${way} lobby`)).toEqual(
        refused(`"${way}" cannot be a direction: use 1-32 of a-z, 0-9, _ and -`),
      )
    expect(await world.type(world.ann, 'portal west')).toEqual(
      misused('portal: TO is missing', '/portal DIRECTION TO'),
    )
  })
})
