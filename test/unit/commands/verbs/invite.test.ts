import { describe, expect, test } from 'vitest'
import { invitationsIn, screenOf } from '../../../support/chat-parts.ts'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

describe('/invite', () => {
  test('lets somebody in, who is a member once they have come', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.ann, 'invite BOB', 'den')).toEqual(done('bob may join den now'))
    expect(await world.exec(world.ann, 'invite den bob')).toEqual(refused('bob is invited already'))
    expect(await world.exec(world.bob, 'join den')).toEqual(done('you are a member of den now'))
    expect(await world.exec(world.ann, 'invite den bob')).toEqual(refused('bob is a member already'))
  })

  test('is told at once to who is there, in each room and to nobody else, and only once', async () => {
    await using world = await createCommandWorld()
    const { rooms } = world.turnWorld.chatParts
    const screens = [screenOf(world.bob), screenOf(world.bob), screenOf(world.ann)]
    for (const [at, name] of ['hall', 'lobby', 'hall'].entries())
      await (await rooms.get(name, world.bob)).enter(screens[at]!)
    await world.exec(world.ann, 'invite den bob')
    const told = 'ann invited you to den; /join den'
    expect(screens.map(({ texts }) => texts().filter((text) => text === told).length)).toEqual([1, 1, 0])
    expect(await world.texts('hall', 9)).not.toContain(told)
    await invitationsIn(world.turnWorld.chatParts).tell(world.bob)
    expect(screens[0]?.texts().filter((text) => text === told)).toHaveLength(1)
  })

  test('is told to who comes in later, a few lines however many there are', async () => {
    await using world = await createCommandWorld()
    const { chatParts } = world.turnWorld
    for (let at = 0; at < 6; at++) {
      const owner = await chatParts.person(`owner${at}`)
      await world.exec(owner, `create --private den${at}`)
      await world.exec(owner, `invite den${at} bob`)
    }
    const screen = screenOf(world.bob)
    await (await chatParts.rooms.lobby()).enter(screen)
    for (const _ of ['first', 'second']) await invitationsIn(chatParts).tell(world.bob)
    expect(screen.texts().filter((text) => text !== 'bob joined')).toEqual([
      ...[0, 1, 2, 3].map((at) => `owner${at} invited you to den${at}; /join den${at}`),
      'you have 2 more invitations; /rooms lists them',
    ])
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
