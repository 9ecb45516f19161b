import { describe, expect, test } from 'vitest'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

describe('/create', () => {
  test('makes a public room that its maker owns, and takes a session into it', async () => {
    await using world = await createCommandWorld()
    const made = await world.type(world.bob, 'create attic')
    expect(made).toEqual({ ...done('made attic, which is yours'), moves: ['attic'] })
    expect(await world.type(world.bob, 'topic mine', 'attic')).toMatchObject({ status: 0 })
    expect(await world.exec(world.guest, 'topic attic')).toEqual(done('mine'))
  })

  test('makes a room that only its maker sees with --private', async () => {
    await using world = await createCommandWorld()
    await world.exec(world.bob, 'create --private cave')
    expect(await world.exec(world.ann, 'who cave')).toEqual(
      refused('there is no room called cave; see rooms, or make it with create'),
    )
    expect(await world.exec(world.bob, 'who cave')).toMatchObject({ status: 0 })
  })

  test('is refused for a name that is taken, though it be by a room that nobody else sees', async () => {
    await using world = await createCommandWorld()
    for (const name of ['hall', 'den', 'lobby']) {
      const taken = refused(`the name ${name} is taken; choose another`)
      expect(await world.exec(world.bob, `create ${name}`)).toEqual(taken)
    }
  })

  test('is refused for guests, for a fourth room and for what cannot be a name', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.guest, 'create attic')).toEqual(
      refused('guests cannot make rooms; log in with a name of your own'),
    )
    await world.exec(world.ann, 'create third')
    expect(await world.exec(world.ann, 'create fourth')).toEqual(
      refused('you own 3 rooms already, which is the limit (rooms_per_person)'),
    )
    for (const name of ['No', 'x'.repeat(33), '../x', '\u001b[2J']) {
      expect(await world.exec(world.bob, `create ${name}`)).toMatchObject({ status: 1, out: [] })
    }
    expect(await world.type(world.bob, 'create')).toEqual(
      misused('create: NAME is missing', '/create [--private] NAME'),
    )
  })
})
