import { describe, expect, test } from 'vitest'
import {
  createCommandWorld,
  done,
  jsonOf,
  misused,
  refused,
} from '../../../support/commands/command-world.ts'
import { raiseQuestion, touch } from '../../../support/commands/raise-question.ts'

/** Ann and bob may both touch a file of their own in hall. */
async function createScene() {
  const world = await createCommandWorld(touch)
  const hall = await world.turnWorld.chatParts.rooms.get('hall', world.bob)
  for (const [person, line] of [
    [world.ann, 'allow always'],
    [world.bob, 'allow room'],
  ] as const) {
    const { result } = await raiseQuestion(world, person, hall, `${person.name}.txt`)
    await world.type(world.ann, line)
    await result
  }
  return world
}

const ANN = '1  touch for ann, until it is revoked, allowed by ann\n  | ann.txt'
const BOB = '2  touch for bob, for 8h, allowed by ann\n  | bob.txt'

describe('/perms', () => {
  test('shows who manages the room all permissions, and others their own', async () => {
    await using world = await createScene()
    expect(await world.type(world.ann, 'perms')).toEqual(done(ANN, BOB))
    expect(await world.type(world.bob, 'perms')).toEqual(done(BOB))
    expect(await world.type(world.guest, 'perms')).toEqual(done('nothing is allowed here without asking'))
    expect(jsonOf(await world.exec(world.bob, 'perms hall --json'))).toMatchObject({
      room: 'hall',
      grants: [{ id: 2, requester: 'bob', tool: 'touch', target: 'bob.txt', by: 'ann' }],
    })
  })

  test('revokes, and tells the room', async () => {
    await using world = await createScene()
    expect(await world.type(world.bob, 'perms revoke 2')).toEqual(done())
    expect(await world.texts('hall')).toEqual(['revoked permission 2 (touch for bob)'])
    expect(await world.exec(world.ann, 'perms hall revoke 1')).toEqual(
      done('revoked permission 1 (touch for ann)'),
    )
    expect(await world.type(world.ann, 'perms')).toEqual(done('nothing is allowed here without asking'))
  })

  test("does not revoke what is another person's, or is not there", async () => {
    await using world = await createScene()
    for (const number of [1, 3])
      expect(await world.type(world.bob, `perms revoke ${number}`)).toEqual(
        refused(`there is no permission ${number} of yours in hall; see /perms`),
      )
    expect(await world.type(world.ann, 'perms')).toEqual(done(ANN, BOB))
  })

  test.each(['revoke', 'revoke x', 'revoke -1', 'revoke 9999999999'])(
    'perms %s is no form of it',
    async (words) => {
      await using world = await createCommandWorld()
      expect(await world.type(world.ann, `perms ${words}`)).toEqual(
        misused('perms: NUMBER must be one of the list', '/perms [--json] [ACTION] [NUMBER]'),
      )
    },
  )

  test('revoke is the only word for what to do', async () => {
    await using world = await createCommandWorld()
    for (const word of ['grant', 'constructor'])
      expect(await world.exec(world.ann, `perms hall ${word} 1`)).toEqual(
        misused(`perms: revoke, not ${word}`, 'perms ROOM [--json] [ACTION] [NUMBER]'),
      )
  })
})
