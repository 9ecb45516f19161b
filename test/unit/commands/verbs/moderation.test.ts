import { expect, test } from 'vitest'
import type { Fingerprint, PersonId, Person } from '../../../../src/words/person.ts'
import { invitationsIn, screenOf } from '../../../support/chat-parts.ts'
import {
  createCommandWorld,
  done,
  misused,
  refused,
  jsonOf,
} from '../../../support/commands/command-world.ts'
import { createPeopleParts } from '../../../support/people.ts'

test('/op lets a member manage the room until /deop', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.ann, 'op BOB')).toEqual(done())
  expect(await world.texts('hall')).toEqual(['ann made bob an op'])
  expect(await world.exec(world.bob, 'topic hall fish')).toMatchObject({ status: 0 })
  expect(await world.exec(world.ann, 'op hall bob')).toEqual(refused('bob is op of hall already'))
  expect(await world.exec(world.bob, 'deop hall ann')).toEqual(refused('ann is no op of hall'))
  expect(await world.exec(world.ann, 'deop hall bob')).toEqual(done("ann took the op's rights from bob"))
  expect(await world.exec(world.bob, 'topic hall fish')).toMatchObject({ status: 1 })
})

test('/op is refused for unregistered people, and in a private room for non-members', async () => {
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

test('/kick removes the sessions of a person from the room and announces the reason', async () => {
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

test('/kick is refused for absent people, oneself, the owner and admins', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'op hall bob')
  expect(await world.exec(world.ann, 'kick hall bob')).toEqual(refused('bob is not in hall'))
  expect(await world.exec(world.ann, 'kick hall nobody')).toEqual(
    refused('nobody called nobody is known here'),
  )
  expect(await world.exec(world.bob, 'kick hall bob')).toEqual(
    refused('you cannot do this to yourself; nothing was done'),
  )
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

test('/mute stops an op from speaking or moderating, and a new mute replaces the old one', async () => {
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

test('/unmute and /unban accept another name of the same key, even one registered later', async () => {
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

test('ops cannot mute, kick or ban an admin or owner under another name with the same key', async () => {
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
  '/mute bob %s is a usage error',
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

test('/invite lets a person join a private room as a member', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.ann, 'invite BOB', 'den')).toEqual(done('bob may join den now'))
  expect(await world.exec(world.ann, 'invite den bob')).toEqual(refused('bob is invited already'))
  expect(await world.exec(world.bob, 'join den')).toEqual(done('you are a member of den now'))
  expect(await world.exec(world.ann, 'invite den bob')).toEqual(refused('bob is a member already'))
})

test('an invitation is shown once in each open session of the invited person only', async () => {
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

test('a person who enters later sees pending invitations once, in at most five lines', async () => {
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

test('/invite is refused for a public room, unknown people, and a room hidden from the caller', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.ann, 'invite bob')).toEqual(
    refused('hall is public: anybody can /join hall; /invites new lets a newcomer in'),
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

test('/uninvite revokes an invitation and removes a member', async () => {
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

test('/uninvite is refused for owner, ops, non-members and unknown people', async () => {
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

const from = (person: Person, network: string): Person => ({
  ...person,
  login: { key: `SHA256:${person.name}` as Fingerprint, network },
})

test('/ban ends the sessions of a person and rejects them until it expires', async () => {
  await using world = await createCommandWorld()
  const ended: string[] = []
  world.clients.begin({ person: from(world.bob, '192.0.2.1'), end: (why) => void ended.push(why) })
  world.clients.begin({ person: from(world.ann, '192.0.2.2'), end: (why) => void ended.push(why) })
  const root = from(world.root, '192.0.2.3')
  expect(await world.exec(root, 'ban bob 2h spam,  and more')).toEqual(
    done('root banned bob from the server for 2h: spam, and more'),
  )
  expect(ended).toEqual(['you were banned from this server for 2h: spam, and more'])
  expect(await world.texts('lobby')).toEqual(['root banned bob from the server for 2h: spam, and more'])
  expect(jsonOf(await world.exec(root, 'bans --json'))).toMatchObject([
    { kind: 'ban', who: 'bob', by: 'root', reason: 'spam, and more', room: null },
  ])
  const { clock, sanctions } = world.turnWorld.chatParts
  expect(sanctions.whyOut(world.bob)).toMatch(/for 2h more/)
  clock.advance(2 * 3_600_000)
  expect(sanctions.whyOut(world.bob)).toBeUndefined()
  expect(await world.exec(root, 'bans')).toEqual(done('nobody is banned'))
})

test('/ban of a network ends sessions from it without naming it in the announcement', async () => {
  await using world = await createCommandWorld()
  const ended: string[] = []
  world.clients.begin({ person: from(world.bob, '2001:db8:0:1'), end: () => void ended.push('bob') })
  world.clients.begin({ person: from(world.ann, '2001:db8:1:1'), end: () => void ended.push('ann') })
  const root = from(world.root, '192.0.2.3')
  expect(await world.exec(root, 'ban 2001:db8::/48')).toEqual(
    done('root banned a network from the server without an end'),
  )
  expect(ended).toEqual(['bob'])
  expect(await world.exec(root, 'bans')).toEqual(done('2001:db8::/48  banned by root'))
  expect(await world.exec(root, 'unban 2001:db8:0::/48')).toEqual(
    done('root lifted the ban of a network from the server'),
  )
  expect(await world.exec(root, 'ban 192.0.2.0/24')).toEqual(
    refused('192.0.2.0/24 includes yourself; nothing was done'),
  )
})

test('/bans lists a guest with their key and others with their current name', async () => {
  await using world = await createCommandWorld()
  const key = `SHA256:${'k'.repeat(43)}` as Fingerprint
  const guest = { ...world.guest, login: { key, network: '192.0.2.1' } }
  world.clients.begin({ person: guest, end: () => undefined })
  await world.exec(world.root, 'ban ann-2')
  await world.exec(world.root, 'ban bob')
  expect(await world.exec(world.root, 'bans')).toEqual(
    done(`ann-2, a guest with ${key}  banned by root`, 'bob  banned by root'),
  )
  await createPeopleParts(world.turnWorld.chatParts).people.rename(world.bob, 'bobby')
  expect((await world.exec(world.root, 'bans')).out[1]).toBe('bob, now bobby  banned by root')
  expect(jsonOf(await world.exec(world.root, 'bans --json'))).toMatchObject([
    { who: 'ann-2', people: [], keys: [key] },
    { who: 'bob', people: ['bobby'], keys: ['SHA256:bob'] },
  ])
})

test('/bans lists all people with a banned key, and /unban lifts one ban of it at a time', async () => {
  const world = await createCommandWorld()
  await using _ = world
  const { people } = createPeopleParts(world.turnWorld.chatParts)
  const key = `SHA256:${'k'.repeat(43)}` as Fingerprint
  for (const name of ['zoe', 'zack']) await people.identify(name, key, '192.0.2.1')
  await world.exec(world.root, 'ban zoe')
  expect(await world.exec(world.root, 'bans')).toEqual(done('zoe, also zack  banned by root'))
  await world.exec(world.root, 'ban zack')
  expect(await world.exec(world.root, 'unban zack')).toEqual(
    done('root lifted the ban of zack from the server'),
  )
  expect(await world.exec(world.root, 'unban zack')).toEqual(
    done('root lifted the ban of zoe from the server'),
  )
  await world.exec(world.root, `ban ${key}`)
  expect(await world.exec(world.root, 'bans')).toEqual(done(`${key} of zack, zoe  banned by root`))
})

test.each(['::/0', '::/1', '2000::/3', '0.0.0.0/1'])(
  '/ban %s is refused without --yes, with the number of affected people',
  async (network) => {
    await using world = await createCommandWorld()
    world.clients.begin({ person: from(world.bob, '192.0.2.1'), end: () => undefined })
    const root = from(world.root, '192.0.2.3')
    expect(await world.exec(root, `ban ${network} 1h`)).toEqual(
      refused(
        `${network} covers more addresses than any provider has, and 0 of 1 people here; to ban it all the same: ban --yes ${network}`,
      ),
    )
    expect(await world.exec(root, 'bans')).toEqual(done('nobody is banned'))
    expect(await world.exec(root, `ban --yes ${network} 1h`)).toEqual(
      done('root banned a network from the server for 1h'),
    )
  },
)

test('/ban of half of the people online is refused without --yes', async () => {
  await using world = await createCommandWorld()
  const ended: string[] = []
  const { person } = world.turnWorld.chatParts
  const people = [world.bob, world.ann, await person('carl'), await person('dora'), await person('emma')]
  for (const [at, one] of people.entries())
    world.clients.begin({
      person: from(one, `192.0.${at < 2 ? 2 : 3}.1`),
      end: () => void ended.push(one.name),
    })
  const root = from(world.root, '198.51.100.1')
  world.clients.begin({ person: root, end: () => undefined })
  expect(await world.exec(root, 'ban 192.0.3.0/24')).toEqual(
    refused('192.0.3.0/24 covers 3 of 6 people here; to ban it all the same: ban --yes 192.0.3.0/24'),
  )
  expect(ended).toEqual([])
  expect(await world.exec(root, 'ban 192.0.2.0/24')).toMatchObject({ status: 0 })
  expect(ended.splice(0)).toEqual(['bob', 'ann'])
  expect(await world.exec(root, 'ban --yes 192.0.3.0/24')).toMatchObject({ status: 0 })
  expect(ended).toEqual(expect.arrayContaining(['carl', 'dora', 'emma']))
})

test('/ban --room of all people in the room is refused without --yes', async () => {
  await using world = await createCommandWorld()
  const { person, rooms } = world.turnWorld.chatParts
  const key = `SHA256:${'k'.repeat(43)}` as Fingerprint
  const people = await Promise.all(['carl', 'dora', 'emma'].map((name) => person(name)))
  for (const one of people)
    await (await rooms.get('hall', one)).enter(screenOf({ ...one, login: { key, network: '192.0.2.1' } }))
  expect(await world.exec(world.ann, `ban --room hall ${key}`)).toEqual(
    refused(`${key} covers 3 of 3 people here; to ban it all the same: ban --yes ${key}`),
  )
  expect(await world.exec(world.ann, `ban --yes --room hall ${key}`)).toMatchObject({ status: 0 })
})

test('/ban --room of a key is refused if the key is a proven one of the owner or an admin', async () => {
  await using world = await createCommandWorld()
  const { storage, clock } = world.turnWorld.chatParts
  await world.exec(world.ann, 'op hall bob')
  for (const { id, name } of [world.root, world.ann]) {
    const key = `SHA256:${name.padEnd(43, 'k')}` as Fingerprint
    await storage.chat.keys.add(id, key, clock.now(), 9)
    expect(await world.exec(world.bob, `ban --room hall ${key}`)).toMatchObject({ status: 0 })
    await world.exec(world.bob, `unban --room hall ${key}`)
    await storage.chat.keys.prove(id, key)
    expect(await world.exec(world.bob, `ban --room hall ${key}`)).toMatchObject({ status: 1 })
  }
})

test('a new ban of a person replaces the old one even after a rename', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.root, 'ban bob')
  await createPeopleParts(world.turnWorld.chatParts).people.rename(world.bob, 'bobby')
  await world.exec(world.root, 'ban bobby 2h')
  expect(jsonOf(await world.exec(world.root, 'bans --json'))).toMatchObject([
    { who: 'bobby', until: expect.any(String) },
  ])
})

test('only one of two admins who ban each other at once succeeds', async () => {
  await using world = await createCommandWorld()
  const other = await world.turnWorld.chatParts.person('boss', { admin: true })
  const both = [world.exec(world.root, 'ban boss'), world.exec(other, 'ban root')]
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([0, 1])
})

test('/ban --room removes a member from a private room and hides that the room exists', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'invite den bob')
  await world.exec(world.bob, 'join den')
  expect(await world.exec(world.ann, 'ban --room den bob')).toEqual(
    done('ann banned bob from den without an end, who is no member any more'),
  )
  expect(await world.exec(world.bob, 'history den')).toEqual(
    refused('there is no room called den; see rooms, or make it with create'),
  )
  expect(await world.exec(world.bob, 'bans --room den')).toEqual(
    refused('there is no room called den; see rooms, or make it with create'),
  )
  expect(await world.exec(world.ann, 'unban --room den bob')).toEqual(
    done('ann lifted the ban of bob from den; an invitation lets them in again'),
  )
})

test.each(['2w spam', '5min', '5minutes', '1h30m', '-5m', '+5m', '1.5h', '30', '2nd time', '５m'])(
  '/ban bob %s is a usage error and bans nobody',
  async (how) => {
    await using world = await createCommandWorld()
    const answer = await world.exec(world.root, `ban -- bob ${how}`)
    expect(answer).toMatchObject({ status: 2 })
    expect(JSON.stringify(answer)).toMatch(
      /is no duration; write 30s, 10m, 2h or 7d.* A reason begins with another word/,
    )
    expect(await world.exec(world.root, 'bans')).toEqual(done('nobody is banned'))
  },
)

test('/ban with a duration only inside the reason bans without an end and says so', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.root, 'ban bob for 5min of spam')).toEqual(
    done('root banned bob from the server without an end: for 5min of spam'),
  )
})
