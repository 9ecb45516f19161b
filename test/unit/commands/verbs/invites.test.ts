import { describe, expect, test } from 'vitest'
import { LOBBY } from '../../../../src/chat/people/names.ts'
import { createCommandWorld, done, jsonOf, refused } from '../../../support/commands/command-world.ts'

const CODE = /^([A-Z0-9]{4}-){3}[A-Z0-9]{4}$/
const UNTIL = '2026-01-08T00:00:00.000Z'

describe('invites new', () => {
  test('prints the code alone on its line, and what it is good for in a session', async () => {
    await using world = await createCommandWorld()
    const script = await world.exec(world.ann, 'invites new --uses 3 --days 2')
    expect(script).toEqual(done(expect.stringMatching(CODE)))
    const { out } = await world.type(world.ann, 'invites new')
    expect(out).toEqual([
      expect.stringMatching(CODE),
      expect.stringContaining('lets 1 newcomer in, for 7 days'),
    ])
    expect(jsonOf(await world.exec(world.ann, 'invites new --json den'))).toEqual({
      code: expect.stringMatching(CODE),
      room: 'den',
      uses: 1,
      days: 7,
    })
    expect(await world.exec(world.ann, 'invites list')).toEqual(
      done(
        `1  3 of 3 uses left, until 3 Jan 2026 00:00 UTC, by ann\n2  1 of 1 use left, until 8 Jan 2026 00:00 UTC, by ann\n3  1 of 1 use left, until 8 Jan 2026 00:00 UTC, by ann, room den`,
      ),
    )
  })

  test.each([
    ['--uses 0', '--uses takes a whole number from 1 to 100, such as --uses 1'],
    ['--uses 101', '--uses takes a whole number from 1 to 100, such as --uses 1'],
    ['--uses 1e2', '--uses takes a whole number from 1 to 100, such as --uses 1'],
    ['--days -1', '--days takes a whole number from 1 to 365, such as --days 7'],
    ['--days 99999999999', '--days takes a whole number from 1 to 365, such as --days 7'],
  ])('with %s is a wrong use, and makes no code', async (words, problem) => {
    await using world = await createCommandWorld()
    const { status, err } = await world.exec(world.ann, `invites new ${words}`)
    expect({ status, problem: err[0] }).toEqual({ status: 2, problem: `invites: ${problem}` })
    expect(await world.exec(world.ann, 'invites list')).toEqual(done('no invite code is open'))
  })

  test('is refused to guests, for a private room that one does not manage, and for no room', async () => {
    await using world = await createCommandWorld()
    expect(await world.exec(world.guest, 'invites new')).toMatchObject({ status: 1, out: [] })
    const unseen = await world.exec(world.bob, 'invites new den')
    const none = await world.exec(world.bob, 'invites new nowhere')
    expect(unseen.err[0]).toBe(none.err[0]?.replace('nowhere', 'den'))
    await world.exec(world.ann, 'invite den bob')
    expect(await world.exec(world.bob, 'invites new den')).toEqual(
      refused('you are invited to den, and no member yet; first: join den'),
    )
    expect(await world.exec(world.bob, 'invites new hall')).toMatchObject({ status: 0 })
  })

  test('is for whom the config says: members, ops of the lobby, or admins', async () => {
    await using world = await createCommandWorld()
    const { storage } = world.turnWorld.chatParts
    const make = async () =>
      Promise.all(
        [world.ann, world.bob, world.root].map(async (who) => (await world.exec(who, 'invites new')).status),
      )
    await storage.chat.rooms.setMembership(LOBBY, world.bob.id, 'op')
    expect(await make()).toEqual([0, 0, 0])
    world.invitePolicy.invites = 'ops'
    expect(await make()).toEqual([1, 0, 0])
    world.invitePolicy.invites = 'admins'
    expect(await make()).toEqual([1, 1, 0])
    expect(await world.exec(world.ann, 'invites new')).toEqual(
      refused('only admins can make invite codes here; ask one of them'),
    )
    world.invitePolicy.access = 'closed'
    expect(await make()).toEqual([1, 1, 1])
  })
})

test('each sees and revokes their own codes, and an admin all, without the private rooms of others', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'invites new den')
  await world.exec(world.bob, 'invites new')
  const ofAnn = { id: 1, by: 'ann', room: 'den', uses: 1, uses_left: 1, until: UNTIL }
  expect(jsonOf(await world.exec(world.ann, 'invites list --json'))).toEqual([ofAnn])
  expect(jsonOf(await world.exec(world.root, 'invites list --json'))).toMatchObject([
    { ...ofAnn, room: null },
    { id: 2, by: 'bob' },
  ])
  expect(await world.exec(world.bob, 'invites revoke 1')).toEqual(
    refused('you have no open invite 1; see invites list'),
  )
  expect(await world.exec(world.ann, 'invites revoke 1')).toEqual(done('invite 1 lets nobody in any more'))
  expect(await world.exec(world.root, 'invites revoke 2')).toEqual(done('invite 2 lets nobody in any more'))
  expect(await world.exec(world.root, 'invites list')).toEqual(done('no invite code is open'))
})

test.each(['', 'x', '-1', '1.5', '99999999999999999999'])('revoke %j is a wrong use', async (which) => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.ann, `invites revoke ${which}`)).toMatchObject({ status: 2, out: [] })
})

test('flags of new are refused elsewhere, and so is an unknown action', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.ann, 'invites list --uses 2')).toMatchObject({ status: 2 })
  expect(await world.exec(world.ann, 'invites list den')).toMatchObject({ status: 2 })
  expect(await world.exec(world.ann, 'invites drop')).toMatchObject({ status: 2 })
})
