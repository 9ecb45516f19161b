import { expect, test } from 'vitest'
import type { Fingerprint, Person } from '../../../../src/chat/people/person.ts'
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
  expect(await world.exec(root, 'ban 2001:db8::/48')).toEqual(done('root banned a network from the server'))
  expect(ended).toEqual(['bob'])
  expect(await world.exec(root, 'bans')).toEqual(done('2001:db8::/48  banned by root'))
  expect(await world.exec(root, 'unban 2001:db8:0::/48')).toEqual(
    done('root lifted the ban of a network from the server'),
  )
  expect(await world.exec(root, 'ban 192.0.2.0/24')).toEqual(
    refused('192.0.2.0/24 includes yourself; nothing was done'),
  )
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
  expect(await world.exec(world.ann, 'ban --room den bob')).toEqual(done('ann banned bob from den'))
  expect(await world.exec(world.bob, 'history den')).toEqual(
    refused('there is no room called den; see rooms, or make it with create'),
  )
  expect(await world.exec(world.bob, 'bans --room den')).toEqual(
    refused('there is no room called den; see rooms, or make it with create'),
  )
  expect(await world.exec(world.ann, 'unban --room den bob')).toEqual(
    done('ann lifted the ban of bob from den'),
  )
})

test('/ban bob 2w is wrong usage, and bans nobody for ever', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.root, 'ban bob 2w spam')).toMatchObject({ status: 2 })
  expect(await world.exec(world.root, 'bans')).toEqual(done('nobody is banned'))
})
