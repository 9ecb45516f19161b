import { expect, test } from 'vitest'
import {
  createCommandWorld,
  done,
  jsonOf,
  misused,
  refused,
} from '../../../support/commands/command-world.ts'
import { raiseQuestion, touch } from '../../../support/commands/raise-question.ts'

/** Bob's tool wants to touch a file in ann's hall. */
async function createScene() {
  const world = await createCommandWorld(touch)
  const hall = await world.turnWorld.chatParts.rooms.get('hall', world.bob)
  const { result } = await raiseQuestion(world, world.bob, hall, 'a.txt')
  return { world, hall, result }
}

const ALLOW_FORM = '/allow [HOW] [NUMBER]'

test.each([
  ['bob', 'allow', 'allowed once'],
  ['bob', 'allow 1', 'allowed once'],
  ['bob', 'allow room', 'allowed here for 8h'],
  ['ann', 'allow always 1', 'allowed here until it is revoked'],
  ['ann', 'allow 1 always', 'allowed here until it is revoked'],
] as const)('an answer by %s with /%s lets the waiting tool run', async (who, line, verdict) => {
  const { world, result } = await createScene()
  await using _ = world
  expect(await world.type(world[who], line)).toEqual(done())
  expect(await result).toBe('touched a.txt')
  expect(await world.texts('hall', 3)).toContain(`${verdict} (question 1: touch for bob)`)
})

test('/allow over exec prints the result, because a script does not see the room', async () => {
  const { world } = await createScene()
  await using _ = world
  expect(await world.exec(world.ann, 'allow hall 1')).toEqual(
    done('allowed once (question 1: touch for bob)'),
  )
})

test('/allow is refused to other people, for other numbers, and if no question is open', async () => {
  const { world } = await createScene()
  await using _ = world
  expect(await world.type(world.guest, 'allow')).toEqual(
    refused('only bob, the owner of hall, an op or an admin can answer question 1'),
  )
  expect(await world.type(world.bob, 'allow always')).toEqual(
    refused('only the owner of hall, an op or an admin can allow question 1 always; /allow 1 allows it once'),
  )
  expect(await world.type(world.ann, 'allow 2')).toEqual(refused('question 2 is not open in hall'))
  expect(await world.type(world.ann, 'allow', 'lobby')).toEqual(refused('no question is open in lobby'))
  expect(await world.type(world.ann, 'allow 1')).toEqual(done())
})

test.each([
  ['allow nope', 'allow: "nope" is not the number of a question'],
  ['allow -1', 'allow: "-1" is not the number of a question'],
  ['allow 9999999999', 'allow: "9999999999" is not the number of a question'],
  ['allow once room', 'allow: "room" is not the number of a question'],
  ['allow 1 2', 'allow: "2" is not one of once, room and always'],
  ['allow 1 once 2', 'allow: "2" is one word too many'],
  [`allow ${'x'.repeat(50)}`, `allow: "${'x'.repeat(40)}" is not the number of a question`],
])('the line %s is a usage error', async (line, problem) => {
  await using world = await createCommandWorld()
  expect(await world.type(world.ann, line)).toEqual(misused(problem, ALLOW_FORM))
})

test('/allow accepts its words on several lines', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.ann, 'allow once\n1')).toEqual(refused('question 1 is not open in hall'))
})

test('/deny ends the waiting tool with a permission error', async () => {
  const { world, result } = await createScene()
  await using _ = world
  expect(await world.type(world.bob, 'deny 1')).toEqual(done())
  expect(await result).toContain('ERROR: Permission denied: touch it?')
  expect(await world.type(world.bob, 'deny')).toEqual(refused('no question is open in hall'))
})

test('/deny accepts a number and nothing else', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.ann, 'deny hall all')).toEqual(
    misused('deny: "all" is not the number of a question', 'deny ROOM [NUMBER]'),
  )
  expect(await world.type(world.ann, 'deny 1 2')).toEqual(
    misused('deny: "2" is one word too many', '/deny [NUMBER]'),
  )
})

/** Ann and bob may both touch a file of their own in hall. */
async function createPermsScene() {
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

test('/perms shows all permissions to a manager of the room, and only own ones to others', async () => {
  await using world = await createPermsScene()
  expect(await world.type(world.ann, 'perms')).toEqual(done(ANN, BOB))
  expect(await world.type(world.bob, 'perms')).toEqual(done(BOB))
  expect(await world.type(world.guest, 'perms')).toEqual(done('no permission was given in this room'))
  expect(jsonOf(await world.exec(world.bob, 'perms hall --json'))).toMatchObject({
    room: 'hall',
    grants: [{ id: 2, requester: 'bob', tool: 'touch', target: 'bob.txt', by: 'ann' }],
  })
})

test('/perms revoke removes a permission and tells the room', async () => {
  await using world = await createPermsScene()
  expect(await world.type(world.bob, 'perms revoke 2')).toEqual(done())
  expect(await world.texts('hall')).toEqual(['revoked permission 2 (touch for bob)'])
  expect(await world.exec(world.ann, 'perms hall revoke 1')).toEqual(
    done('revoked permission 1 (touch for ann)'),
  )
  expect(await world.type(world.ann, 'perms')).toEqual(done('no permission was given in this room'))
})

test('/perms revoke is refused for missing permissions and those of another person', async () => {
  await using world = await createPermsScene()
  for (const number of [1, 3])
    expect(await world.type(world.bob, `perms revoke ${number}`)).toEqual(
      refused(`there is no permission ${number} of yours in hall; see /perms`),
    )
  expect(await world.type(world.ann, 'perms')).toEqual(done(ANN, BOB))
})

test.each(['revoke', 'revoke x', 'revoke -1', 'revoke 9999999999'])(
  '/perms %s is a usage error',
  async (words) => {
    await using world = await createCommandWorld()
    expect(await world.type(world.ann, `perms ${words}`)).toEqual(
      misused('perms: NUMBER must be one of the list', '/perms [--json] [ACTION] [NUMBER]'),
    )
  },
)

test('/perms accepts no action but revoke', async () => {
  await using world = await createCommandWorld()
  for (const word of ['grant', 'constructor'])
    expect(await world.exec(world.ann, `perms hall ${word} 1`)).toEqual(
      misused(`perms: revoke, not ${word}`, 'perms ROOM [--json] [ACTION] [NUMBER]'),
    )
})
