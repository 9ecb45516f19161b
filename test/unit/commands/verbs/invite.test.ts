import { describe, expect, test } from 'vitest'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

describe('/invite', () => {
  test('lets somebody in, who is a member once they have come', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.ann, 'invite BOB', 'den')).toEqual(done('bob may join den now'))
    expect(await world.exec(world.ann, 'invite den bob')).toEqual(refused('bob is invited already'))
    expect(await world.exec(world.bob, 'join den')).toEqual(done('you are a member of den now'))
    expect(await world.exec(world.ann, 'invite den bob')).toEqual(refused('bob is a member already'))
  })

  test('is refused to members who do not manage the room', async () => {
    await using world = await createCommandWorld()
    for (const line of ['invite den bob', 'invite den root']) await world.exec(world.ann, line)
    await world.exec(world.bob, 'join den')
    expect(await world.exec(world.bob, 'invite den root')).toEqual(
      refused('only the owner or an op can invite people'),
    )
  })

  test('is refused for a public room, for strangers, and by who does not see the room', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.ann, 'invite bob')).toEqual(
      refused('hall is public: anybody can /join hall'),
    )
    for (const name of ['nobody', '__proto__', 'x'.repeat(999), 'ann-2'])
      expect(await world.exec(world.ann, `invite den ${name}`)).toEqual(
        refused(`nobody called ${name} has registered here`),
      )
    expect(await world.exec(world.bob, 'invite den bob')).toMatchObject({ status: 1 })
    expect(await world.exec(world.ann, 'invite den')).toEqual(
      misused('invite: NAME is missing', 'invite ROOM NAME'),
    )
  })
})
