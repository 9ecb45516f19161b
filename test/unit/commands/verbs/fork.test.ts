import { describe, expect, test } from 'vitest'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

describe('/fork', () => {
  test('copies vibe and key-values, not what was said, and takes a session there', async () => {
    await using world = await createCommandWorld()
    for (const line of ['vibe hall dusty', 'kv hall colour blue']) await world.exec(world.ann, line)
    expect(await world.type(world.bob, 'fork loft')).toEqual({
      ...done('made loft like hall; it is yours'),
      moves: ['loft'],
    })
    expect(await world.exec(world.bob, 'vibe loft')).toEqual(done('dusty'))
    expect(await world.exec(world.bob, 'kv loft colour')).toEqual(done('blue'))
    expect(await world.texts('loft')).toEqual([])
  })

  test('of a private room is private, and so is one that is asked to be', async () => {
    await using world = await createCommandWorld()
    expect(await world.exec(world.ann, 'fork den cave')).toEqual(
      done('made cave like den; it is yours, and private'),
    )
    expect(await world.exec(world.bob, 'fork --private hall nest')).toEqual(
      done('made nest like hall; it is yours, and private'),
    )
    for (const room of ['cave', 'nest'])
      expect(await world.exec(world.guest, `who ${room}`)).toMatchObject({ status: 1 })
  })

  test('is refused for guests, for a taken name, and for a room that one does not see', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.guest, 'fork loft')).toMatchObject({ status: 1, moves: [] })
    expect(await world.type(world.bob, 'fork den')).toEqual(refused('the name den is taken; choose another'))
    expect(await world.exec(world.bob, 'fork den loft')).toEqual(
      refused('there is no room called den; see rooms, or make it with create'),
    )
    expect(await world.type(world.bob, 'fork')).toEqual(
      misused('fork: NAME is missing', '/fork [--private] NAME'),
    )
  })
})
