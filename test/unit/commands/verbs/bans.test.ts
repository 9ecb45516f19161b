import { expect, test } from 'vitest'
import type { Fingerprint, Person } from '../../../../src/chat/people/person.ts'
import { screenOf } from '../../../support/chat-parts.ts'
import { createPeopleParts } from '../../../support/people.ts'
import { createCommandWorld, done, jsonOf, refused } from '../../../support/commands/command-world.ts'

const from = (person: Person, network: string): Person => ({
  ...person,
  login: { key: `SHA256:${person.name}` as Fingerprint, network },
})

test('/ban puts somebody out of the server with all sessions, until its time is over', async () => {
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

test('/ban of a network ends who comes from there, and shows it to nobody but admins', async () => {
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

test('/bans tells whom a ban concerns: a guest by their key, and others by their names of now', async () => {
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

test('/bans of a key tells all who have it, and of a name which others are out with it', async () => {
  const world = await createCommandWorld()
  await using _ = world
  const { people } = createPeopleParts(world.turnWorld.chatParts)
  const key = `SHA256:${'k'.repeat(43)}` as Fingerprint
  for (const name of ['zoe', 'zack']) await people.identify(name, key, '192.0.2.1')
  await world.exec(world.root, 'ban zoe')
  expect(await world.exec(world.root, 'bans')).toEqual(done('zoe, also zack  banned by root'))
  await world.exec(world.root, 'ban zack')
  expect(await world.exec(world.root, 'unban zack')).toEqual(
    done('root lifted the ban of zack from the server; the same key is still banned as zoe'),
  )
  expect(await world.exec(world.root, 'unban zack')).toEqual(
    done('root lifted the ban of zoe from the server'),
  )
  await world.exec(world.root, `ban ${key}`)
  expect(await world.exec(world.root, 'bans')).toEqual(done(`${key} of zack, zoe  banned by root`))
})

test('/ban of all addresses is refused without --yes, with the number of people here', async () => {
  await using world = await createCommandWorld()
  world.clients.begin({ person: from(world.bob, '192.0.2.1'), end: () => undefined })
  const root = from(world.root, '192.0.2.3')
  expect(await world.exec(root, 'ban ::/0 1h')).toEqual(
    refused('::/0 covers all such addresses and 0 of 1 people here; to ban it all the same: ban --yes ::/0'),
  )
  expect(await world.exec(root, 'bans')).toEqual(done('nobody is banned'))
  expect(await world.exec(root, 'ban --yes ::/0 1h')).toEqual(
    done('root banned a network from the server for 1h'),
  )
})

test('/ban of half of the people here is refused without --yes', async () => {
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

test('/ban --room of half of the people in the room is refused without --yes', async () => {
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

test('a ban from a room of a key is refused if the owner or an admin added it to theirs', async () => {
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

test('another ban of the same person replaces the first, also after they took another name', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.root, 'ban bob')
  await createPeopleParts(world.turnWorld.chatParts).people.rename(world.bob, 'bobby')
  await world.exec(world.root, 'ban bobby 2h')
  expect(jsonOf(await world.exec(world.root, 'bans --json'))).toMatchObject([
    { who: 'bobby', until: expect.any(String) },
  ])
})

test('of two admins who ban each other one is left', async () => {
  await using world = await createCommandWorld()
  const other = await world.turnWorld.chatParts.person('boss', { admin: true })
  const both = [world.exec(world.root, 'ban boss'), world.exec(other, 'ban root')]
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([0, 1])
})

test('/ban --room takes a member out of a private room, where it looks as if there were none', async () => {
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
  '/ban bob %s is wrong usage, and bans nobody for ever',
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

test('a reason may have numbers behind its first word, and a ban without a time says that it has none', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.root, 'ban bob for 5min of spam')).toEqual(
    done('root banned bob from the server without an end: for 5min of spam'),
  )
})
