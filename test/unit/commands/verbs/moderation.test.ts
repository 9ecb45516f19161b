import { describe, expect, test } from 'vitest'
import type { Fingerprint, PersonId } from '../../../../src/chat/people/person.ts'
import { invitationsIn, screenOf } from '../../../support/chat-parts.ts'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

test('/op lets a member manage the room, and /deop takes it back; all in the room see it', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.ann, 'op BOB')).toEqual(done())
  expect(await world.texts('hall')).toEqual(['ann made bob an op'])
  expect(await world.exec(world.bob, 'topic hall fish')).toMatchObject({ status: 0 })
  expect(await world.exec(world.ann, 'op hall bob')).toEqual(refused('bob is op of hall already'))
  expect(await world.exec(world.bob, 'deop hall ann')).toEqual(refused('ann is no op of hall'))
  expect(await world.exec(world.ann, 'deop hall bob')).toEqual(done("ann took the op's rights from bob"))
  expect(await world.exec(world.bob, 'topic hall fish')).toMatchObject({ status: 1 })
})

test('/op is refused for strangers, and in a private room for people who are no members', async () => {
  await using world = await createCommandWorld()
  for (const name of ['nobody', '__proto__', 'ann-2'])
    expect(await world.exec(world.ann, `op hall ${name}`)).toEqual(
      refused(`nobody called ${name} has registered here`),
    )
  await world.exec(world.ann, 'invite den bob')
  for (const name of ['bob', 'nobody'])
    expect(await world.exec(world.ann, `op den ${name}`)).toEqual(
      refused(`${name} is no member of den; invite them first, and once they have joined they can be op`),
    )
  expect(await world.exec(world.ann, 'op hall')).toEqual(misused('op: NAME is missing', 'op ROOM NAME'))
})

test('/kick takes the sessions of somebody out of the room, and says so to all', async () => {
  await using world = await createCommandWorld()
  const hall = await world.turnWorld.chatParts.rooms.get('hall', world.bob)
  await hall.enter(screenOf(world.bob))
  const told: string[] = []
  const leave = async (room: string, why: string): Promise<void> => void told.push(`${room}: ${why}`)
  world.clients.begin({ person: world.bob, end: () => undefined, leave })
  expect(await world.exec(world.ann, 'kick hall bob too   loud')).toEqual(done('ann kicked bob: too loud'))
  expect(told).toEqual(['hall: ann kicked you out of hall: too loud; you may come back'])
  const [act] = await hall.history({ limit: 1 })
  expect(act).toMatchObject({ author: 'ann', act: { verb: 'kick', who: 'bob', reason: 'too loud' } })
})

test('/kick is refused for who is not there, and for oneself, the owner and admins', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'op hall bob')
  expect(await world.exec(world.ann, 'kick hall bob')).toEqual(refused('bob is not in hall'))
  expect(await world.exec(world.ann, 'kick hall nobody')).toEqual(
    refused('nobody called nobody is known here'),
  )
  expect(await world.exec(world.bob, 'kick hall bob')).toEqual(refused('that is yourself; nothing was done'))
  expect(await world.exec(world.bob, 'kick hall ann')).toEqual(
    refused('ann owns hall; ban from the server is the only way to put an owner out'),
  )
  expect(await world.exec(world.bob, 'kick hall root')).toEqual(
    refused('root is an admin; ban can put an admin out, from the server'),
  )
  expect(await world.exec(world.ann, `kick hall bob ${'x'.repeat(201)}`)).toEqual(
    refused('that is too long: 200 characters are allowed'),
  )
})

const MUTED = 'you are muted in hall for 10m more: you may read, and not speak'

/** What a muted person may do: nothing of it is an entry, and no model is asked. */
const READS = 'history who tools wrap todo exits script#show summary kv topic vibe usage perms checkpoint nav'
/** What makes an entry, or asks a model. */
const SPEAKS = 'say#x me#x ask#@qwen#x run#echo'

test('/mute lets somebody read, and not speak, until its time is over', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.ann, 'mute bob 10m')).toEqual(done())
  expect(await world.texts('hall')).toEqual(['ann muted bob for 10m'])
  for (const word of READS.split(' ')) {
    const [verb, ...rest] = word.split('#')
    const { err } = await world.exec(world.bob, [verb, 'hall', ...rest].join(' '))
    expect({ verb, err }).toEqual({ verb, err: [] })
  }
  for (const word of SPEAKS.split(' ')) {
    const [verb, ...rest] = word.split('#')
    expect(await world.exec(world.bob, [verb, 'hall', ...rest].join(' '))).toEqual(refused(MUTED))
  }
  expect(await world.texts('hall')).toEqual(['ann muted bob for 10m'])
  world.turnWorld.chatParts.clock.advance(600_000)
  expect(await world.exec(world.bob, 'say hall hi')).toMatchObject({ status: 0 })
})

test('/mute silences an op, who cannot undo it; an earlier one is replaced', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'op hall bob')
  await world.exec(world.ann, 'mute hall bob')
  await world.exec(world.ann, 'mute hall bob 10m')
  for (const line of [
    'unmute hall bob',
    'kick hall guest',
    'ban --room hall root',
    'deop hall bob',
    'topic hall x',
  ])
    expect(await world.exec(world.bob, line)).toEqual(refused(MUTED))
  expect(await world.exec(world.ann, 'bans --room hall --json')).toMatchObject({
    out: [expect.stringContaining('"kind":"mute"') as string],
  })
  expect(await world.exec(world.ann, 'unmute hall BOB')).toEqual(done('ann unmuted bob'))
  expect(await world.exec(world.ann, 'unmute hall bob')).toEqual(refused('bob is not muted in hall'))
  expect(await world.exec(world.bob, 'say hall hi')).toMatchObject({ status: 0 })
})

test('/unmute and /unban know somebody under each name of their key, also one from after the act', async () => {
  await using world = await createCommandWorld()
  const { storage, clock } = world.turnWorld.chatParts
  await world.exec(world.ann, 'mute hall bob')
  await world.exec(world.ann, 'ban --room hall bob')
  const again = { ...world.bob, id: 'again' as PersonId, name: 'bobtwo' }
  expect(await storage.chat.people.register(again, 'bobtwo', 'SHA256:bob' as Fingerprint, clock.now())).toBe(
    true,
  )
  expect(await world.exec(world.ann, 'unmute hall bobtwo')).toEqual(done('ann unmuted bob'))
  expect(await world.exec(world.ann, 'unban --room hall bobtwo')).toMatchObject({ status: 0 })
  expect(await world.exec(world.ann, 'unmute hall bob')).toEqual(refused('bob is not muted in hall'))
})

test('an act in a room is refused for another name of a key that an admin or the owner has', async () => {
  await using world = await createCommandWorld()
  const { storage, clock } = world.turnWorld.chatParts
  await world.exec(world.ann, 'op hall bob')
  for (const [name, key] of [
    ['rooty', 'SHA256:root'],
    ['annie', 'SHA256:ann'],
  ] as const) {
    const other = { ...world.bob, id: name as PersonId, name }
    expect(await storage.chat.people.register(other, name, key as Fingerprint, clock.now())).toBe(true)
  }
  for (const [name, why] of [
    ['rooty', 'rooty is an admin; ban can put an admin out, from the server'],
    ['annie', 'annie owns hall; ban from the server is the only way to put an owner out'],
  ] as const)
    for (const line of [`mute hall ${name}`, `kick hall ${name}`, `ban --room hall ${name}`])
      expect(await world.exec(world.bob, line)).toEqual(refused(why))
  expect(await world.exec(world.root, 'bans --room hall')).toEqual(done('nobody is banned'))
})

test.each(['0s', '10', '10x', '-1m', '3651d', '1e3s', '999999999999s'])(
  '/mute bob %s is wrong usage',
  async (word) => {
    await using world = await createCommandWorld()
    expect(await world.exec(world.ann, `mute hall bob ${word}`)).toEqual(
      word === '-1m'
        ? expect.objectContaining({ status: 2 })
        : misused(
            `mute: ${word} is no duration; write 30s, 10m, 2h or 7d, at most 3650d`,
            'mute ROOM NAME [DURATION]',
          ),
    )
    expect(await world.exec(world.bob, 'say hall hi')).toMatchObject({ status: 0 })
  },
)

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
      refused('hall is public: anybody can /join hall; /msg NAME tells somebody'),
    )
    for (const name of ['nobody', '__proto__', 'x'.repeat(999), 'ann-2'])
      expect(await world.exec(world.ann, `invite den ${name}`)).toEqual(
        refused(`nobody called ${name} has registered here; invites new den makes a code for somebody new`),
      )
    world.invitePolicy.invites = 'admins'
    expect(await world.exec(world.ann, 'invite den zoe')).toEqual(
      refused('nobody called zoe has registered here'),
    )
    expect(await world.exec(world.bob, 'invite den bob')).toMatchObject({ status: 1 })
    expect(await world.exec(world.ann, 'invite den')).toEqual(
      misused('invite: NAME is missing', 'invite ROOM NAME'),
    )
  })
})

test('/uninvite takes back an invitation, and takes a member out', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'invite den bob')
  expect(await world.type(world.ann, 'uninvite bob', 'den')).toEqual(done())
  expect(await world.texts('den')).toEqual(['ann took back the invitation of bob'])
  const gone = refused('there is no room called den; see rooms, or make it with create')
  expect(await world.exec(world.bob, 'join den')).toEqual(gone)
  for (const line of ['invite den bob']) await world.exec(world.ann, line)
  await world.exec(world.bob, 'join den')
  expect(await world.exec(world.ann, 'uninvite den bob')).toEqual(done('ann took bob out of the room'))
  expect(await world.exec(world.bob, 'history den')).toEqual(gone)
})

test('/uninvite says the same of strangers and of people who are not there, and reaches neither owner nor ops', async () => {
  await using world = await createCommandWorld()
  for (const name of ['bob', 'nobody'])
    expect(await world.exec(world.ann, `uninvite den ${name}`)).toEqual(
      refused(`${name} is neither invited to den nor a member of it`),
    )
  await world.exec(world.ann, 'invite den bob')
  await world.exec(world.bob, 'join den')
  await world.exec(world.ann, 'op den bob')
  expect(await world.exec(world.bob, 'uninvite den ann')).toEqual(refused('ann owns den'))
  expect(await world.exec(world.ann, 'uninvite den bob')).toEqual(refused('bob is an op; first: deop bob'))
  expect(await world.exec(world.ann, 'uninvite hall bob')).toEqual(
    refused('hall is public; to keep somebody out: ban --room hall bob'),
  )
})
