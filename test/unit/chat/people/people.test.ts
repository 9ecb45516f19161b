import { expect, test } from 'vitest'
import type { Fingerprint } from '../../../../src/words/person.ts'
import type { AccessPolicy } from '../../../../src/chat/people/registration.ts'
import { createChatParts } from '../../../support/chat-parts.ts'
import { createPeopleParts } from '../../../support/people.ts'

const key = (name: string) => `SHA256:${name}` as Fingerprint

async function people(options: { access?: AccessPolicy; admins?: string[]; claimCode?: string } = {}) {
  const { claimCode, ...policy } = options
  const parts = await createChatParts()
  return createPeopleParts(parts, { modelNames: ['guide', 'qwen'], namesPerKey: 2, ...policy }, claimCode)
    .people
}

test('a name is registered to the first key, and other keys get guest names', async () => {
  const all = await people()
  const first = await all.identify('alice', key('a'), '127.0.0.1')
  expect(first).toMatchObject({ name: 'alice', guest: false, admin: false })
  expect(await all.identify('alice', key('a'), '127.0.0.1')).toEqual(first)
  for (const [other, name] of [
    ['b', 'alice-917'],
    ['b', 'alice-917'],
    ['c', 'alice-9178'],
    ['d', 'alice-91781'],
    ['e', 'alice-91782'],
  ] as const)
    expect(await all.identify('alice', key(other), '127.0.0.1')).toMatchObject({ name, guest: true })
})

test('a name beyond the limit of names per key is not registered and stays free', async () => {
  const all = await people()
  for (const name of ['one', 'two']) await all.identify(name, key('a'), '127.0.0.1')
  expect(await all.identify('three', key('a'), '127.0.0.1')).toMatchObject({ name: 'three-917', guest: true })
  expect(await all.identify('one', key('a'), '127.0.0.1')).toMatchObject({ name: 'one', guest: false })
  expect(await all.identify('three', key('b'), '127.0.0.1')).toMatchObject({ name: 'three', guest: false })
})

test('a name that two keys request at the same time is registered to one of them', async () => {
  const all = await people()
  const both = await Promise.all([
    all.identify('alice', key('a'), '127.0.0.1'),
    all.identify('alice', key('b'), '127.0.0.1'),
  ])
  expect(both.filter((person) => !person.guest)).toHaveLength(1)
})

test.each([
  'qwen',
  'QWEN',
  'system',
  'lobby',
  'everyone',
  'Nobody',
  's0mebody',
  'everyοne',
  '',
  'a b',
  'x'.repeat(25),
  '...',
  'a\u202eb',
  '__proto__\n',
])('the name %j is refused', async (name) => {
  await expect((await people()).identify(name, key('a'), '127.0.0.1')).rejects.toThrow(
    /can(not)? be called|is taken/,
  )
})

test('a guest name based on a name of maximum length is shortened to fit the limit', async () => {
  const all = await people()
  const long = 'x'.repeat(24)
  await all.identify(long, key('a'), '127.0.0.1')
  const guest = await all.identify(long, key('b'), '127.0.0.1')
  expect([...guest.name].length).toBeLessThanOrEqual(24)
})

test.each(['203.0.113.9', '10.0.0.1', '2O3.O.113.9', '٢٠٣.٠.١١٣.٩', '--room', '-n', 'bob.'])(
  'the name %s is refused because a command or a reader could misread it',
  async (name) => {
    const all = await people()
    await expect(all.identify(name, key('a'), '127.0.0.1')).rejects.toThrow('cannot be called')
    const bob = await all.identify('bob', key('b'), '127.0.0.1')
    await expect(all.rename(bob, name)).rejects.toThrow('cannot be called')
  },
)

test('an unknown key is rejected if access is closed, with or without a code', async () => {
  const all = await people({ access: 'closed' })
  for (const proof of [{}, { code: 'ABCD-EFGH-JKLM-NPQR' }])
    await expect(all.identify('alice', key('a'), '127.0.0.1', proof)).rejects.toThrow('only people it knows')
})

test("a key in the config's list of admins is accepted as an admin if access is closed", async () => {
  const all = await people({ access: 'closed', admins: [key('boss')] })
  expect(await all.identify('boss', key('boss'), '127.0.0.1')).toMatchObject({ admin: true, guest: false })
})

test.each(['invite', 'closed'] as const)(
  'the claim code admits its bearer until it is used, if access is %s',
  async (access) => {
    const all = await people({ access, claimCode: 'ABCD-EFGH' })
    const enter = (name: string, proof = {}) => all.identify(name, key(name), '127.0.0.1', proof)
    await expect(enter('mallory')).rejects.toThrow()
    await expect(enter('mallory', { code: 'ABCD-EFGX' })).rejects.toThrow()
    const boss = await enter('boss', { code: 'abcd-efgh' })
    expect(boss).toMatchObject({ guest: false, admin: false })
    await all.claim(boss, 'ABCD-EFGH')
    expect(boss.admin).toBe(true)
    await expect(enter('late', { code: 'ABCD-EFGH' })).rejects.toThrow()
  },
)

test('the claim code is rejected if the config names an admin', async () => {
  const all = await people({ access: 'closed', claimCode: 'ABCD-EFGH', admins: [key('boss')] })
  const proof = { code: 'ABCD-EFGH' }
  await expect(all.identify('mallory', key('m'), '127.0.0.1', proof)).rejects.toThrow('only people it knows')
  const boss = await all.identify('boss', key('boss'), '127.0.0.1')
  await expect(all.claim(boss, 'ABCD-EFGH')).rejects.toThrow('an admin already')
})

test('a claim code that two people use at the same time makes one admin', async () => {
  const all = await people({ claimCode: 'ABCD-EFGH' })
  const two = [
    await all.identify('alice', key('a'), '127.0.0.1'),
    await all.identify('bob', key('b'), '127.0.0.1'),
  ]
  const claims = await Promise.allSettled(two.map((person) => all.claim(person, 'ABCD-EFGH')))
  expect(claims.map((claim) => claim.status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('a guest cannot use the claim code', async () => {
  const all = await people({ claimCode: 'ABCD-EFGH' })
  await all.identify('alice', key('a'), '127.0.0.1')
  const guest = await all.identify('alice', key('b'), '127.0.0.1')
  await expect(all.claim(guest, 'ABCD-EFGH')).rejects.toThrow('a guest cannot be admin')
})

test('a guest name is not given to another guest, and its owner can register it', async () => {
  const all = await people()
  await all.identify('alice', key('a'), '127.0.0.1')
  expect(await all.identify('alice', key('b'), '127.0.0.1')).toMatchObject({ name: 'alice-917', guest: true })
  expect(await all.identify('alice-917', key('c'), '127.0.0.1')).toMatchObject({
    name: 'alice-917-917',
    guest: true,
  })
  expect(await all.identify('alice-917', key('b'), '127.0.0.1')).toMatchObject({
    name: 'alice-917',
    guest: false,
  })
})

test('two keys that ask for a taken name at the same moment get two guest names', async () => {
  const all = await people()
  await all.identify('alice', key('a'), '127.0.0.1')
  const both = await Promise.all([
    all.identify('alice', key('b'), '127.0.0.1'),
    all.identify('alice', key('c'), '127.0.0.1'),
  ])
  expect(both.map((guest) => guest.name).toSorted()).toEqual(['alice-917', 'alice-9178'])
})

test('a guest name given before the claim does not admit a key after the claim', async () => {
  const all = await people({ access: 'closed', claimCode: 'ABCD-EFGH' })
  const proof = { code: 'abcd-efgh' }
  const alice = await all.identify('alice', key('a'), '127.0.0.1', proof)
  expect(await all.identify('alice', key('b'), '127.0.0.1', proof)).toMatchObject({
    name: 'alice-917',
    guest: true,
  })
  await all.claim(alice, 'ABCD-EFGH')
  await expect(all.identify('alice-917', key('c'), '127.0.0.1')).rejects.toThrow('only people it knows')
})

async function withAdded(admins: readonly string[] = []) {
  const parts = await createChatParts()
  const { people: all } = createPeopleParts(parts, () => ({ access: 'open', admins }))
  const mallory = await all.identify('mallory', key('m'), '127.0.0.1')
  await parts.storage.chat.keys.add(mallory.id, key('v'), parts.clock.now(), 9)
  return { ...parts, all, mallory, enter: (name: string) => all.identify(name, key('v'), '127.0.0.1') }
}

test('an added key belongs to the account after its first login, which shows one notice', async () => {
  const { enter, mallory } = await withAdded()
  const first = await enter('mallory')
  expect(first).toMatchObject({ id: mallory.id, guest: false, notice: expect.stringContaining('SHA256:v') })
  expect((await enter('mallory')).notice).toBeUndefined()
})

test('an added key is removed from the account if it registers another name first', async () => {
  const { enter, storage, mallory } = await withAdded()
  const victoria = await enter('victoria')
  expect(victoria).toMatchObject({ name: 'victoria', guest: false })
  expect(await enter('mallory')).toMatchObject({ name: 'mallory-917', guest: true })
  expect(await storage.chat.people.keysOf(mallory.id)).toEqual(['SHA256:m'])
  expect(await storage.chat.people.holdersOf([key('v')])).toMatchObject([{ name: 'victoria' }])
})

test('an added key does not log in to the account if it sends an invalid invite code', async () => {
  const { all } = await withAdded()
  const withCode = all.identify('mallory', key('v'), '127.0.0.1', { code: 'ABCD' })
  await expect(withCode).rejects.toThrow('the invite code is not valid')
})

test('an added key gives no access to a banned account, and is not banned itself', async () => {
  const { enter, sanctions, mallory } = await withAdded()
  const facts = { network: null, reason: '', by: 'root', at: 0, until: null, room: null } as const
  const ban = {
    ...facts,
    id: '01A',
    kind: 'ban',
    who: 'mallory',
    people: [mallory.id],
    keys: [key('m')],
  } as const
  await sanctions.put(ban)
  expect(await enter('mallory')).toMatchObject({ guest: true })
  expect(await enter('victoria')).toMatchObject({ name: 'victoria', guest: false })
})

test("an added key of a config admin logs in to an account only if the account is an admin's", async () => {
  const admins: string[] = []
  const { enter, all, storage, clock } = await withAdded(admins)
  admins.push('SHA256:v')
  expect(await enter('mallory')).toMatchObject({ guest: true, admin: false })
  expect(await all.identify('mallory', key('m'), '127.0.0.1')).toMatchObject({ admin: false })
  const chief = await enter('chief')
  expect(chief).toMatchObject({ guest: false, admin: true })
  await storage.chat.keys.add(chief.id, key('w'), clock.now(), 9)
  admins.push('SHA256:w')
  const second = () => all.identify('chief', key('w'), '127.0.0.1')
  expect(await second()).toMatchObject({ id: chief.id, admin: true })
  admins.pop()
  expect(await second()).toMatchObject({ id: chief.id, admin: false })
})
