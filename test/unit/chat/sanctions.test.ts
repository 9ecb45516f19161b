import { expect, test } from 'vitest'
import { Sanctions } from '../../../src/chat/moderation/sanctions.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import type { Sanction } from '../../../src/chat/moderation/ports.ts'
import type { Fingerprint, Person, PersonId } from '../../../src/words/person.ts'
import { createChatParts } from '../../support/chat-parts.ts'

const key = (name: string): Fingerprint => `SHA256:${name}` as Fingerprint
const bob = 'person-bob' as PersonId

const ban: Sanction = {
  id: '01A',
  kind: 'ban',
  room: null,
  who: 'bob',
  people: [bob],
  keys: [key('bob')],
  network: null,
  reason: '',
  by: 'root',
  at: 0,
  until: null,
}

const login = (name: string, holders: readonly PersonId[] = [], address = '192.0.2.1') => ({
  key: key(name),
  holders,
  address,
})

const person = (name: string, withKey: string): Person => ({
  id: `person-${name}` as PersonId,
  name,
  admin: false,
  guest: false,
  login: { key: key(withKey), network: '192.0.2.1' },
})

test('a ban applies to its keys, and to its person under their other known keys', async () => {
  const { storage, clock } = await createChatParts()
  const sanctions = await Sanctions.load(storage.chat.sanctions, clock)
  await sanctions.put(ban)
  expect(sanctions.barsLogin(login('bob'))).toBe(true)
  expect(sanctions.barsLogin(login('ann', ['person-ann' as PersonId]))).toBe(false)
  expect(sanctions.whyOut(person('max', 'bob'))).toMatch(/^you are banned from this server/)
  expect(sanctions.barsLogin(login('new', [bob, 'person-max' as PersonId]))).toBe(true)
  expect(sanctions.whyOut(person('bob', 'new'))).toMatch(/^you are banned from this server/)
  expect(sanctions.whyOut(person('max', 'new'))).toBeUndefined()
  const [stored] = sanctions.list(null)
  await sanctions.lift([stored!])
  expect(sanctions.whyOut(person('max', 'bob'))).toBeUndefined()
  expect(sanctions.barsLogin(login('bob'))).toBe(false)
})

test('a ban or mute of a key applies to this key only, not to the people who used it', async () => {
  const { storage, clock } = await createChatParts()
  const sanctions = await Sanctions.load(storage.chat.sanctions, clock)
  const [root, max] = ['person-root' as PersonId, 'person-max' as PersonId]
  await sanctions.put({ ...ban, people: [], keys: [key('zy')] })
  expect(sanctions.barsLogin(login('zy', [root]))).toBe(true)
  expect(sanctions.whyOut(person('root', 'own'))).toBeUndefined()
  expect(sanctions.barsLogin(login('own', [root]))).toBe(false)
  const den = 'den' as RoomName
  const room = { topic: '', vibe: '', private: false, owner: null, createdAt: 0 }
  await storage.chat.rooms.create({ ...room, name: den })
  await sanctions.put({ ...ban, id: '01B', kind: 'mute', room: den, people: [], keys: [key('zz')] })
  expect(sanctions.barsLogin(login('zz', [root, max]))).toBe(false)
  expect(sanctions.whyMuted(den, person('root', 'own'))).toBeUndefined()
  expect(sanctions.whyMuted(den, person('max', 'zz'))).toMatch(/^you are muted/)
})

test('a ban of a network applies to logins from its addresses only', async () => {
  const { storage, clock } = await createChatParts()
  const sanctions = await Sanctions.load(storage.chat.sanctions, clock)
  await sanctions.put({ ...ban, people: [], keys: [], network: '192.0.2.0/24' })
  expect(sanctions.barsLogin(login('ann', [], '192.0.2.200'))).toBe(true)
  expect(sanctions.barsLogin(login('ann', [], '198.51.100.1'))).toBe(false)
  expect(sanctions.barsLogin(login('ann', [], 'no address'))).toBe(false)
})

test('a stored ban applies after a restart, except to an admin of the config', async () => {
  const { storage, clock } = await createChatParts()
  await storage.chat.sanctions.put(ban, [])
  expect((await Sanctions.load(storage.chat.sanctions, clock)).barsLogin(login('bob'))).toBe(true)
  const kept = await Sanctions.load(storage.chat.sanctions, clock, (one) => one === key('bob'))
  expect(kept.barsLogin(login('bob'))).toBe(false)
  expect(kept.whyOut(person('bob', 'bob'))).toBeUndefined()
})

test('a room has at most a thousand sanctions, and a server-wide ban is still accepted', async () => {
  const { storage, clock, rooms } = await createChatParts()
  const { name: room } = await rooms.lobby()
  const sanctions = await Sanctions.load(storage.chat.sanctions, clock)
  const nth = (n: number): Sanction => ({ ...ban, id: `0${n}`, people: [], keys: [key(`${n}`)], room })
  for (let n = 0; n < 1_000; n++) await sanctions.put(nth(n))
  await expect(sanctions.put(nth(1_000))).rejects.toThrow('which is the limit')
  await sanctions.put(nth(1_001), sanctions.list(room).slice(7, 8))
  await sanctions.put(ban)
  expect(sanctions.list(room)).toHaveLength(1_000)
})

test('an expired ban does not apply, and is deleted with the next sanction', async () => {
  const { storage, clock } = await createChatParts()
  const sanctions = await Sanctions.load(storage.chat.sanctions, clock)
  await sanctions.put({ ...ban, until: clock.now() + 1_000 })
  clock.advance(1_000)
  expect(sanctions.barsLogin(login('bob'))).toBe(false)
  await sanctions.put({ ...ban, id: '01B', people: [], keys: [key('ann')] })
  expect((await storage.chat.sanctions.all()).map(({ id }) => id)).toEqual(['01B'])
})
