import { describe, expect, test } from 'vitest'
import { createPeople, type AccessPolicy } from '../../../../src/chat/people/people.ts'
import type { Fingerprint } from '../../../../src/chat/people/person.ts'
import { createChatParts } from '../../../support/chat-parts.ts'

const key = (name: string) => `SHA256:${name}` as Fingerprint

async function people(options: { access?: AccessPolicy; admins?: string[]; claimCode?: string } = {}) {
  const { storage, clock, nextId, sanctions } = await createChatParts()
  const { access = 'open', admins = [], claimCode } = options
  const policy = () => ({ access, admins, modelNames: ['guide', 'qwen'], namesPerKey: 2 })
  return createPeople({ store: storage.chat.people, clock, nextId, policy, claimCode, sanctions })
}

describe('a name', () => {
  test('is registered to the first key and stays with it', async () => {
    const all = await people()
    const first = await all.identify('alice', key('a'), '127.0.0.1')
    expect(first).toMatchObject({ name: 'alice', guest: false, admin: false })
    expect(await all.identify('alice', key('a'), '127.0.0.1')).toEqual(first)
    expect(await all.identify('alice', key('b'), '127.0.0.1')).toMatchObject({ name: 'alice-2', guest: true })
    expect(await all.identify('alice', key('b'), '127.0.0.1')).toMatchObject({ name: 'alice-2', guest: true })
    expect(await all.identify('alice', key('c'), '127.0.0.1')).toMatchObject({ name: 'alice-3', guest: true })
  })

  test('that would be one too many for a key is not registered, and stays free', async () => {
    const all = await people()
    for (const name of ['one', 'two']) await all.identify(name, key('a'), '127.0.0.1')
    expect(await all.identify('three', key('a'), '127.0.0.1')).toMatchObject({ name: 'three-2', guest: true })
    expect(await all.identify('one', key('a'), '127.0.0.1')).toMatchObject({ name: 'one', guest: false })
    expect(await all.identify('three', key('b'), '127.0.0.1')).toMatchObject({ name: 'three', guest: false })
  })

  test('asked for by two keys at the same moment goes to one of them', async () => {
    const all = await people()
    const both = await Promise.all([
      all.identify('alice', key('a'), '127.0.0.1'),
      all.identify('alice', key('b'), '127.0.0.1'),
    ])
    expect(both.filter((person) => !person.guest)).toHaveLength(1)
  })

  test.each(['Alice', 'AL1CE', 'аlice'])(
    'in other letters that look the same (%s) is not free',
    async (look) => {
      const all = await people()
      await all.identify('alice', key('a'), '127.0.0.1')
      const other = await all.identify(look, key('b'), '127.0.0.1').catch((error: Error) => error)
      expect(other instanceof Error || other.guest).toBe(true)
    },
  )

  test.each([
    'qwen',
    'QWEN',
    'system',
    'lobby',
    'everyone',
    '',
    'a b',
    'x'.repeat(25),
    '...',
    'a\u202eb',
    '__proto__\n',
  ])('%j is refused', async (name) => {
    await expect((await people()).identify(name, key('a'), '127.0.0.1')).rejects.toThrow(
      /cannot be called|is taken/,
    )
  })

  test('of a long owner is cut so that the guest name still fits', async () => {
    const all = await people()
    const long = 'x'.repeat(24)
    await all.identify(long, key('a'), '127.0.0.1')
    const guest = await all.identify(long, key('b'), '127.0.0.1')
    expect([...guest.name].length).toBeLessThanOrEqual(24)
  })
})

describe('coming in', () => {
  test.each(['invite', 'closed'] as const)(
    'when access is %s, unknown keys are turned away',
    async (access) => {
      await expect((await people({ access })).identify('alice', key('a'), '127.0.0.1')).rejects.toThrow(
        'only people it knows',
      )
    },
  )

  test('a key that the config names is admin, wherever it comes from', async () => {
    const all = await people({ access: 'closed', admins: [key('boss')] })
    expect(await all.identify('boss', key('boss'), '127.0.0.1')).toMatchObject({ admin: true, guest: false })
  })
})

describe('the claim code', () => {
  test('makes the first admin once, whatever the case and the spaces', async () => {
    const all = await people({ claimCode: 'ABCD-EFGH' })
    const [alice, bob] = [
      await all.identify('alice', key('a'), '127.0.0.1'),
      await all.identify('bob', key('b'), '127.0.0.1'),
    ]
    await expect(all.claim(alice, 'ABCD-EFGX')).rejects.toThrow('wrong')
    await expect(all.claim(alice, '')).rejects.toThrow('wrong')
    await all.claim(alice, ' abcd-efgh ')
    expect(await all.current(alice)).toMatchObject({ admin: true })
    await expect(all.claim(bob, 'ABCD-EFGH')).rejects.toThrow('used already')
  })

  test('used by two at once makes one admin', async () => {
    const all = await people({ claimCode: 'ABCD-EFGH' })
    const two = [
      await all.identify('alice', key('a'), '127.0.0.1'),
      await all.identify('bob', key('b'), '127.0.0.1'),
    ]
    const claims = await Promise.allSettled(two.map((person) => all.claim(person, 'ABCD-EFGH')))
    expect(claims.map((claim) => claim.status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('is nothing to a guest', async () => {
    const all = await people({ claimCode: 'ABCD-EFGH' })
    await all.identify('alice', key('a'), '127.0.0.1')
    const guest = await all.identify('alice', key('b'), '127.0.0.1')
    await expect(all.claim(guest, 'ABCD-EFGH')).rejects.toThrow('a guest cannot be admin')
  })
})

test('a name that was lent to a guest is not given to somebody else meanwhile', async () => {
  const all = await people()
  await all.identify('alice', key('a'), '127.0.0.1')
  expect(await all.identify('alice', key('b'), '127.0.0.1')).toMatchObject({ name: 'alice-2', guest: true })
  expect(await all.identify('alice-2', key('c'), '127.0.0.1')).toMatchObject({
    name: 'alice-2-2',
    guest: true,
  })
  expect(await all.identify('alice-2', key('b'), '127.0.0.1')).toMatchObject({
    name: 'alice-2',
    guest: false,
  })
})

test('two keys that ask for a taken name at the same moment are lent two names', async () => {
  const all = await people()
  await all.identify('alice', key('a'), '127.0.0.1')
  const both = await Promise.all([
    all.identify('alice', key('b'), '127.0.0.1'),
    all.identify('alice', key('c'), '127.0.0.1'),
  ])
  expect(both.map((guest) => guest.name).toSorted()).toEqual(['alice-2', 'alice-3'])
})

test('a name that was lent before the server was claimed lets nobody in after it', async () => {
  const all = await people({ access: 'closed', claimCode: 'ABCD-EFGH' })
  const alice = await all.identify('alice', key('a'), '127.0.0.1')
  expect(await all.identify('alice', key('b'), '127.0.0.1')).toMatchObject({ name: 'alice-2', guest: true })
  await all.claim(alice, 'ABCD-EFGH')
  await expect(all.identify('alice-2', key('c'), '127.0.0.1')).rejects.toThrow('only people it knows')
})
