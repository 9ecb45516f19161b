import { readdirSync } from 'node:fs'
import { decodeTime } from 'ulid'
import { describe, expect, test } from 'vitest'
import { entryLine } from '../../../../src/words/entry-text.ts'
import { screenOf } from '../../../support/chat-parts.ts'
import {
  createCommandWorld,
  done,
  jsonOf,
  misused,
  refused,
} from '../../../support/commands/command-world.ts'

test('/rooms lists the visible rooms with their topics and number of people', async () => {
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

test('/create makes a public room owned by its creator and moves the session into it', async () => {
  await using world = await createCommandWorld()
  const made = await world.type(world.bob, 'create attic')
  expect(made).toEqual({
    ...done('made attic, which is yours: everybody may join; /create --private makes a closed one'),
    moves: ['attic'],
  })
  expect(await world.type(world.bob, 'topic mine', 'attic')).toMatchObject({ status: 0 })
  expect(await world.exec(world.guest, 'topic attic')).toEqual(done('mine'))
})

test('/create refuses a used name, even that of an invisible private room', async () => {
  await using world = await createCommandWorld()
  for (const name of ['hall', 'den', 'lobby']) {
    const taken = refused(`the name ${name} is taken; choose another`)
    expect(await world.exec(world.bob, `create ${name}`)).toEqual(taken)
  }
})

test('/create is refused to guests, over the room limit and for invalid names', async () => {
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

test('/fork is refused to guests, for a used name and for an invisible room', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.guest, 'fork loft')).toMatchObject({ status: 1, moves: [] })
  expect(await world.type(world.bob, 'fork den')).toEqual(refused('the name den is taken; choose another'))
  expect(await world.exec(world.bob, 'fork den loft')).toEqual(
    refused('there is no room called den; see rooms, or make it with create'),
  )
  expect(await world.type(world.bob, 'fork')).toEqual(
    misused('fork: NAME is missing', '/fork [--private] [--from LINE] NAME'),
  )
})

/** Hall after three lines, an edit, a reaction, a taken back line and an answer of @qwen. */
async function createTalk() {
  const world = await createCommandWorld()
  const hall = await world.turnWorld.chatParts.rooms.get('hall', world.ann)
  await world.exec(world.ann, 'say hall frist')
  await world.exec(world.ann, 'edit hall first')
  await world.exec(world.bob, 'react hall 👍')
  await world.exec(world.bob, 'say hall gone')
  await world.exec(world.bob, 'retract hall')
  await world.exec(world.bob, 'ask hall qwen tools')
  await world.exec(world.ann, 'me hall nods')
  await world.exec(world.ann, 'say hall last')
  return { world, hall }
}

test('/fork --from -N copies lines up to -N, marked, without bills, edits or retracted lines', async () => {
  const { world, hall } = await createTalk()
  await using _ = world
  expect(await world.exec(world.bob, 'fork hall copy --from -2')).toEqual(
    done('made copy like hall, with 5 lines of it; it is yours'),
  )
  const copy = await world.turnWorld.chatParts.rooms.get('copy', world.bob)
  const entries = await copy.history({ limit: 50 })
  expect(entries.map((entry) => entryLine(entry))).toEqual([
    'ann (copied): first',
    '* bob (copied) reacted 👍 to ann',
    'bob (copied): @qwen tools',
    'qwen (copied): There are no tools in the request I was given.',
    '* ann (copied) nods',
  ])
  for (const entry of entries) expect(entry).toMatchObject({ room: 'copy', copied: true })
  expect(entries[1]).toMatchObject({ reacts: entries[0]!.id })
  expect(entries[3]).not.toHaveProperty('durationMs')
  const times = (await hall.history({ limit: 50 })).map(({ at }) => at)
  for (const { id, at } of entries) {
    expect(times).toContain(at)
    expect(decodeTime(id)).toBe(at)
  }
})

test('/fork --from takes the id of a line, and refuses one of another room', async () => {
  const { world, hall } = await createTalk()
  await using _ = world
  const [first] = await hall.history({ limit: 1, oldestFirst: true, kinds: ['message'] })
  expect(await world.type(world.bob, `fork copy --from ${first!.id}`)).toMatchObject({ status: 0 })
  expect(await world.texts('copy', 9)).toEqual(['first'])
  expect(await world.exec(world.bob, `fork lobby copy-2 --from ${first!.id}`)).toEqual(
    refused(`lobby has no line ${first!.id}; history --json shows their ids`),
  )
  expect(await world.exec(world.bob, 'fork hall copy-2 --from -40')).toEqual(
    refused('hall has fewer than 40 lines'),
  )
})

test('/fork --from rings nobody, keeps the age limit of lines, and /purge finds the copies', async () => {
  const { world } = await createTalk()
  await using _ = world
  await world.exec(world.ann, 'say hall @bob look')
  await world.exec(world.ann, 'keep hall 90d')
  await world.exec(world.bob, 'fork hall copy --from -1')
  expect(await world.exec(world.bob, 'keep copy')).toEqual(
    done('what is said in copy is removed for good after 90 days'),
  )
  expect(await world.exec(world.bob, 'rooms')).toMatchObject({
    out: expect.arrayContaining(['copy  0 here']),
  })
  await world.exec(world.root, 'purge ann --yes')
  expect(await world.texts('copy', 9)).toEqual([
    '@qwen tools',
    'There are no tools in the request I was given.',
    'root removed 5 lines of ann',
  ])
})

test('models of a fork read the lines that were copied', async () => {
  const { world } = await createTalk()
  await using _ = world
  await world.exec(world.bob, 'fork hall copy --from -1')
  const { context } = jsonOf(await world.exec(world.bob, 'wrap copy --json')) as { readonly context: string }
  expect(context).toContain('ann: first')
  expect(context).toContain('ann: last')
})

test('/who lists the people in the room with their roles, and the models', async () => {
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

describe.each(['topic', 'vibe'])('/%s', (verb) => {
  test('a topic or vibe is reduced to one line when a manager sets it, and is shown to all', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.bob, verb)).toEqual(done(`no ${verb} is set`))
    expect(await world.exec(world.ann, `${verb} hall two\n  lines\u001b[31m`)).toEqual(
      done(`ann set the ${verb}: two lines`),
    )
    expect(await world.texts('hall')).toEqual([`ann set the ${verb}: two lines`])
    expect(await world.type(world.bob, verb)).toEqual(done('two lines'))
  })

  test('a topic or vibe is refused if the caller is no manager or the text too long', async () => {
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

const asksAgain = { status: 1, err: [expect.stringContaining('this deletes hall') as string] }

test('/archive in a session only describes its effect, and /archive on archives the room', async () => {
  await using world = await createCommandWorld()
  const { type, ann, bob } = world
  expect(await type(ann, 'archive')).toEqual(
    refused(
      'this closes hall: it can be read, nobody speaks in it, and its models and routines stop. To do it: /archive on; /archive off opens it again',
    ),
  )
  expect((await type(ann, 'say hello')).status).toBe(0)
  expect(await type(bob, 'archive')).toEqual(refused('only the owner of hall or an admin can archive it'))
  expect((await type(ann, 'archive on')).status).toBe(0)
  expect((await type(ann, 'say hello')).err[0]).toContain('hall is archived')
  expect(await type(ann, 'archive')).toEqual(refused('hall is archived already'))
  expect((await type(ann, 'archive off')).status).toBe(0)
  expect((await type(ann, 'say hello')).status).toBe(0)
})

test('a script archives a room at once', async () => {
  await using world = await createCommandWorld()
  expect((await world.exec(world.ann, 'archive hall')).status).toBe(0)
  expect((await world.exec(world.ann, 'say hall hello')).err[0]).toContain('hall is archived')
})

test('/delete in a session needs a second call within a minute, also with the name of the room', async () => {
  await using world = await createCommandWorld()
  const { clock } = world.turnWorld.chatParts
  expect(await world.type(world.ann, 'delete hall')).toMatchObject(asksAgain)
  clock.advance(60_000)
  expect(await world.type(world.ann, 'delete')).toMatchObject(asksAgain)
  expect(await world.type(world.root, 'delete')).toMatchObject({ status: 1 })
  expect(await world.type(world.ann, 'delete hall')).toMatchObject({ status: 0 })
})

test('a script that gives the name of the room twice deletes it at once', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.root, 'delete hall')).toMatchObject(asksAgain)
  expect(await world.exec(world.ann, 'delete hall den')).toEqual(
    misused('delete: this room is called hall, not den', 'delete ROOM [NAME]'),
  )
  expect(await world.exec(world.ann, 'delete hall hall')).toMatchObject({ status: 0 })
  expect(readdirSync(`${world.dataDir}/exports`)).toEqual([expect.stringMatching(/^hall-.*\.jsonl$/)])
  expect(await world.exec(world.ann, 'say hall x')).toEqual(
    refused('there is no room called hall; see rooms, or make it with create'),
  )
})

test('/delete keeps the room if its log cannot be exported', async () => {
  await using world = await createCommandWorld()
  const { storage } = world.turnWorld.chatParts
  const { read } = storage.chat.entries
  await world.exec(world.ann, 'say hall hello')
  Object.assign(storage.chat.entries, { read: () => Promise.reject(new Error('the disk is full')) })
  expect(await world.exec(world.ann, 'delete hall hall')).toEqual(
    refused('hall was not deleted: the disk is full'),
  )
  Object.assign(storage.chat.entries, { read })
  expect(readdirSync(`${world.dataDir}/exports`)).toEqual([])
  expect(await world.exec(world.bob, 'say hall still here')).toMatchObject({ status: 0 })
})

test('/delete is refused to ops, for the lobby, and to admins who do not see the room', async () => {
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

test('/join moves a session into a public room, or into a private one after an invitation', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'join hall', 'lobby')).toEqual({ ...done(), moves: ['hall'] })
  await world.exec(world.ann, 'invite den bob')
  expect(await world.type(world.bob, 'join den')).toEqual({ ...done(), moves: ['den'] })
  expect(await world.exec(world.bob, 'who den')).toMatchObject({ status: 0 })
})

test('/join of the current room prints that the caller is in it', async () => {
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

test('/join in a script grants membership and announces it, but is refused to guests', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'invite den bob')
  expect(await world.exec(world.bob, 'join den')).toEqual(done('you are a member of den now'))
  expect(await world.texts('den')).toEqual(['bob joined'])
  expect(await world.exec(world.bob, 'join hall')).toEqual(done('you are a member of hall now'))
  expect(await world.exec(world.bob, 'join hall')).toEqual(done('you are a member of hall already'))
  expect(await world.exec(world.ann, 'join hall')).toEqual(done('you are a member of hall already'))
  expect(await world.exec(world.guest, 'join hall')).toEqual(
    refused('guests cannot be members of rooms; log in with a name of your own'),
  )
  expect(await world.exec(world.bob, 'join')).toEqual(misused('join: NAME is missing', 'join NAME'))
})

test('/leave returns to the lobby and is refused in the lobby', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'leave')).toEqual({ ...done(), moves: ['lobby'] })
  expect(await world.type(world.bob, 'leave', 'lobby')).toEqual(
    refused('you are in the lobby; /quit leaves the server'),
  )
})

test('/leave in a script ends a membership and hides the private room from then on', async () => {
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

test('/go moves a session through an exit and makes an invited person a member', async () => {
  await using world = await createCommandWorld()
  for (const line of ['portal hall down den', 'portal hall west lobby', 'invite den bob'])
    await world.exec(world.ann, line)
  expect(await world.type(world.bob, 'go DOWN')).toEqual({ ...done(), moves: ['den'] })
  expect(await world.exec(world.ann, 'invite den bob')).toEqual(refused('bob is a member already'))
})

test('/go is refused for a missing exit, an exit to an invisible room, and in scripts', async () => {
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

test('/portal makes an exit and tells the room', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.ann, 'portal WEST lobby')).toEqual(
    done('hall → lobby by west; one way, --both makes two'),
  )
  expect(await world.texts('hall')).toEqual(['ann made an exit: west leads to lobby now'])
  expect(await world.exec(world.ann, 'portal hall up lobby')).toEqual(
    done('hall → lobby by up; one way, --both makes two'),
  )
})

test('/portal into a private room is not announced in the room', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.ann, 'portal down den')).toEqual(
    done('hall → den by down; one way, --both makes two'),
  )
  expect(await world.texts('hall')).toEqual([])
})

test('/portal --both makes an exit in each direction and tells the other room', async () => {
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

test('/portal --both needs rights in both rooms and replaces no exit of the other room', async () => {
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

test('/portal is refused for an invisible room and an invalid direction', async () => {
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

test('/nav accepts only on or off, and checks the room before the word', async () => {
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
