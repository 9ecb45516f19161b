import { describe, expect, test } from 'vitest'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

test('/join takes a session into a public room, and into a private one after an invitation', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'join hall', 'lobby')).toEqual({ ...done(), moves: ['hall'] })
  await world.exec(world.ann, 'invite den bob')
  expect(await world.type(world.bob, 'join den')).toEqual({ ...done(), moves: ['den'] })
  expect(await world.exec(world.bob, 'who den')).toMatchObject({ status: 0 })
})

test('/join of the room that one is in says so', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'join lobby', 'lobby')).toEqual(done('you are in lobby'))
})

test.each(['den', 'nowhere', 'x'.repeat(50), '__proto__', '..'])(
  '/join %s is refused in the same words, whether the room is private or missing',
  async (name) => {
    await using world = await createCommandWorld()
    const sentence = `there is no room called ${name.slice(0, 40)}; see /rooms, or make it with /create`
    expect(await world.type(world.bob, `join ${name}`)).toEqual(refused(sentence))
  },
)

test('a script joins a room as a member, which all in the room see; a private one after an invitation', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'invite den bob')
  expect(await world.exec(world.bob, 'join den')).toEqual(done('you are a member of den now'))
  expect(await world.texts('den')).toEqual(['bob joined'])
  expect(await world.exec(world.bob, 'join hall')).toEqual(done('you are a member of hall now'))
  expect(await world.exec(world.bob, 'join hall')).toEqual(done('you are a member of hall already'))
  expect(await world.exec(world.ann, 'join hall')).toEqual(done('you are a member of hall already'))
  expect(await world.exec(world.guest, 'join hall')).toEqual(
    refused('guests are members of no room; log in with a name of your own'),
  )
  expect(await world.exec(world.bob, 'join')).toEqual(misused('join: NAME is missing', 'join NAME'))
})

test('/leave goes back to the lobby, and from there nowhere', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'leave')).toEqual({ ...done(), moves: ['lobby'] })
  expect(await world.type(world.bob, 'leave', 'lobby')).toEqual(
    refused('you are in the lobby; /quit leaves the server'),
  )
})

test('a script takes its own membership back, and a private room is not there for it any more', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'invite den bob')
  await world.exec(world.bob, 'join den')
  expect(await world.exec(world.bob, 'leave den')).toEqual(done('you are no member of den any more'))
  expect(await world.texts('den')).toEqual(['bob left'])
  const gone = refused('there is no room called den; see rooms, or make it with create')
  for (const line of ['leave den', 'join den', 'history den'])
    expect(await world.exec(world.bob, line)).toEqual(gone)
  expect(await world.exec(world.bob, 'leave hall')).toEqual(refused('you are no member of hall'))
  expect(await world.exec(world.ann, 'leave den')).toEqual(
    refused('you own den; first give it another owner: owner den NAME'),
  )
  expect(await world.exec(world.bob, 'leave')).toEqual(misused('leave: ROOM is missing', 'leave ROOM'))
})

test('/go takes a session through an exit, and a person who was invited becomes a member', async () => {
  await using world = await createCommandWorld()
  for (const line of ['portal hall down den', 'portal hall west lobby', 'invite den bob'])
    await world.exec(world.ann, line)
  expect(await world.type(world.bob, 'go DOWN')).toEqual({ ...done(), moves: ['den'] })
  expect(await world.exec(world.ann, 'invite den bob')).toEqual(refused('bob is a member already'))
})

test('/go is refused where there is no such exit, where it leads to no room for this person, and to scripts', async () => {
  await using world = await createCommandWorld()
  for (const line of ['portal hall down den', 'portal hall west lobby']) await world.exec(world.ann, line)
  for (const way of ['up', 'down', '__proto__', 'x'.repeat(40)]) {
    const sentence = `there is no exit ${way} in hall; the exits are: west`
    expect(await world.type(world.bob, `go ${way}`)).toEqual(refused(sentence))
  }
  expect(await world.exec(world.ann, 'go west')).toEqual(
    refused('a script is in no room; name the room instead: say ROOM TEXT'),
  )
  expect(await world.type(world.ann, 'go')).toEqual(misused('go: DIRECTION is missing', '/go DIRECTION'))
})

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

describe('/portal', () => {
  test('makes an exit, and tells the room', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.ann, 'portal WEST lobby')).toEqual(
      done('hall → lobby by west; one way, --both makes two'),
    )
    expect(await world.texts('hall')).toEqual(['ann made an exit: west leads to lobby now'])
    expect(await world.exec(world.ann, 'portal hall up lobby')).toEqual(
      done('hall → lobby by up; one way, --both makes two'),
    )
  })

  test('into a private room is told only to who made it', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.ann, 'portal down den')).toEqual(
      done('hall → den by down; one way, --both makes two'),
    )
    expect(await world.texts('hall')).toEqual([])
  })

  test('with --both makes the way back, which leads the other way, and tells both rooms', async () => {
    await using world = await createCommandWorld()
    await world.exec(world.ann, 'create yard')
    expect(await world.type(world.ann, 'portal --both west yard')).toEqual(
      done('hall ⇄ yard by west, and back by east'),
    )
    expect(await world.exec(world.ann, 'exits yard')).toEqual(done('east  hall'))
    expect(await world.texts('yard')).toContain('ann made an exit: east leads to hall now')
    expect(await world.type(world.ann, 'portal --both slide den')).toEqual(
      done('hall ⇄ den by slide, and back by hall'),
    )
  })

  test('with --both needs the right in both rooms, and takes no exit of the other one', async () => {
    await using world = await createCommandWorld()
    await world.exec(world.bob, 'create yard')
    expect(await world.type(world.ann, 'portal --both west yard')).toEqual(
      refused('only the owner of yard, an op or an admin can change its exits'),
    )
    await world.exec(world.ann, 'create pond')
    await world.exec(world.ann, 'portal pond east lobby')
    expect(await world.type(world.ann, 'portal --both west pond')).toEqual(
      refused('pond has an exit east already, into lobby'),
    )
    expect(await world.type(world.ann, 'exits')).toEqual(done('hall has no exits; /portal makes one'))
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
      misused('portal: TO is missing', '/portal [--both] DIRECTION TO'),
    )
  })
})

test('/nav is off, is set by who manages the room, and says so', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'nav')).toEqual(done('off'))
  expect(await world.type(world.ann, 'nav on')).toEqual(done())
  expect(await world.texts('hall')).toEqual(['ann turned nav on: models may walk here'])
  expect(await world.type(world.bob, 'nav')).toEqual(done('on'))
  expect(await world.exec(world.root, 'nav hall off')).toEqual(
    done('root turned nav off: models may not walk here'),
  )
})

test('/nav takes on or off and nothing else, whoever asks; a room that is not there comes first', async () => {
  await using world = await createCommandWorld()
  for (const word of ['ON', 'maybe', 'constructor', 'x'.repeat(99)])
    for (const person of [world.ann, world.bob])
      expect(await world.type(person, `nav ${word}`)).toEqual(
        misused(`nav: on or off, not ${word.slice(0, 40)}`, '/nav [STATE]'),
      )
  expect(await world.exec(world.bob, 'nav hall maybe')).toEqual(
    misused('nav: on or off, not maybe', 'nav ROOM [STATE]'),
  )
  expect(await world.exec(world.bob, 'nav den maybe')).toMatchObject({ status: 1 })
  expect(await world.type(world.bob, 'nav on')).toEqual(
    refused('only the owner of hall, an op or an admin can say whether models may walk'),
  )
})
