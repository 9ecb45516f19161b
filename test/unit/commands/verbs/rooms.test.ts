import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { screenOf } from '../../../support/chat-parts.ts'
import {
  createCommandWorld,
  done,
  jsonOf,
  misused,
  refused,
} from '../../../support/commands/command-world.ts'

test('/rooms lists the rooms that somebody sees, with their topics and how many are there', async () => {
  await using world = await createCommandWorld()
  await world.type(world.ann, 'topic plans')
  await (await world.turnWorld.chatParts.rooms.lobby()).enter(screenOf(world.bob))
  expect(await world.type(world.bob, 'rooms')).toEqual(done('hall  0 here  plans', 'lobby  1 here'))
  expect(await world.exec(world.ann, 'rooms')).toEqual(
    done('den  0 here  private', 'hall  0 here  plans', 'lobby  1 here'),
  )
  expect(jsonOf(await world.exec(world.root, 'rooms --json'))).toEqual([
    { name: 'hall', topic: 'plans', private: false, people: 0 },
    { name: 'lobby', topic: '', private: false, people: 1 },
  ])
})

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

test('/who names the people in the room with what they may do, and the models', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.bob, 'who hall')).toEqual(done('nobody is here', 'models: @qwen'))
  const hall = await world.turnWorld.chatParts.rooms.get('hall', world.ann)
  for (const person of [world.bob, world.ann, world.root, world.guest]) await hall.enter(screenOf(person))
  expect(await world.type(world.bob, 'who')).toEqual(
    done('ann (owner), ann-2 (guest), bob, root (admin)', 'models: @qwen'),
  )
  expect(jsonOf(await world.exec(world.bob, 'who hall --json'))).toMatchObject({
    room: 'hall',
    people: [{ name: 'ann', role: 'owner' }, {}, {}, {}],
  })
})

test('/who of a private room is refused to who does not see it', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.root, 'who den')).toMatchObject({ status: 1, out: [] })
})

describe.each(['topic', 'vibe'])('/%s', (verb) => {
  test('is shown to all, and set by who manages the room, in one line', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.bob, verb)).toEqual(done(`no ${verb} is set`))
    expect(await world.exec(world.ann, `${verb} hall two\n  lines\u001b[31m`)).toEqual(
      done(`ann set the ${verb}: two lines`),
    )
    expect(await world.texts('hall')).toEqual([`ann set the ${verb}: two lines`])
    expect(await world.type(world.bob, verb)).toEqual(done('two lines'))
  })

  test('is refused to others, and where it is too long', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.bob, `${verb} mine`)).toEqual(
      refused(`only the owner of hall, an op or an admin can change its ${verb}`),
    )
    expect(await world.type(world.ann, `${verb} ${'x'.repeat(501)}`)).toEqual(
      refused('that is too long: 500 characters are allowed'),
    )
    expect(await world.type(world.ann, verb)).toEqual(done(`no ${verb} is set`))
  })
})

test('/archive closes a room to all who would speak, its owner and models too, until it is opened again', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.bob, 'archive hall')).toEqual(
    refused('only the owner of hall or an admin can archive it'),
  )
  expect(await world.type(world.ann, 'archive')).toEqual(done())
  expect(await world.exec(world.ann, 'archive hall')).toEqual(refused('hall is archived already'))
  for (const person of [world.ann, world.bob, world.root])
    for (const line of ['say hall x', 'ask hall @qwen x', 'me hall x'])
      expect((await world.exec(person, line)).err.join()).toMatch(/^hall is archived: it can be read/)
  expect(await world.exec(world.bob, 'history hall')).toMatchObject({ status: 0 })
  expect(await world.exec(world.ann, 'archive hall off')).toEqual(done('ann opened the room again'))
  expect(await world.exec(world.bob, 'say hall x')).toMatchObject({ status: 0 })
  expect(await world.exec(world.root, 'archive lobby')).toEqual(
    refused("the lobby is everybody's; nobody can archive it"),
  )
})

test("/delete is asked twice: within a minute, or with the room's name", async () => {
  await using world = await createCommandWorld()
  const { clock } = world.turnWorld.chatParts
  const asks = { status: 1, err: [expect.stringContaining('this deletes hall') as string] }
  expect(await world.type(world.ann, 'delete')).toMatchObject(asks)
  clock.advance(60_000)
  expect(await world.type(world.ann, 'delete')).toMatchObject(asks)
  expect(await world.exec(world.root, 'delete hall hall')).toMatchObject(asks)
  clock.advance(600_000)
  expect(await world.exec(world.ann, 'delete hall den')).toEqual(
    misused('delete: this room is called hall, not den', 'delete ROOM [NAME]'),
  )
  expect(await world.exec(world.ann, 'delete hall hall')).toMatchObject({ status: 0 })
  expect(readdirSync(`${world.dataDir}/exports`)).toEqual([expect.stringMatching(/^hall-.*\.jsonl$/)])
  expect(await world.exec(world.ann, 'say hall x')).toEqual(
    refused('there is no room called hall; see rooms, or make it with create'),
  )
})

test('/delete leaves the room as it was where all that was said cannot be kept', async () => {
  await using world = await createCommandWorld()
  const { storage } = world.turnWorld.chatParts
  const { read } = storage.chat.entries
  await world.exec(world.ann, 'say hall hello')
  await world.exec(world.ann, 'delete hall')
  Object.assign(storage.chat.entries, { read: () => Promise.reject(new Error('the disk is full')) })
  expect(await world.exec(world.ann, 'delete hall')).toEqual(
    refused('hall was not deleted: the disk is full'),
  )
  Object.assign(storage.chat.entries, { read })
  expect(readdirSync(`${world.dataDir}/exports`)).toEqual([])
  expect(await world.exec(world.bob, 'say hall still here')).toMatchObject({ status: 0 })
})

test('/delete is for the owner and admins who see the room, and the lobby stays', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'op hall bob')
  expect(await world.exec(world.bob, 'delete hall')).toEqual(
    refused('only the owner of hall or an admin can delete it'),
  )
  expect(await world.exec(world.root, 'delete den')).toEqual(
    refused('there is no room called den; see rooms, or make it with create'),
  )
  expect(await world.exec(world.root, 'delete lobby')).toEqual(
    refused("the lobby is everybody's; nobody can delete it"),
  )
})
