import { expect, test } from 'vitest'
import type { RoomName } from '../../../../src/words/entry.ts'
import type { Sanction } from '../../../../src/chat/moderation/ports.ts'
import { withLogin, type Fingerprint, type Person } from '../../../../src/words/person.ts'
import { createChatParts, type ChatParts } from '../../../support/chat-parts.ts'
import { createPeopleParts } from '../../../support/people.ts'

const FROM = { address: '192.0.2.7', network: '192.0.2.7' }
const DAY_MS = 86_400_000
const KEY = 'SHA256:ann' as Fingerprint

const room = (name: string) => name as RoomName

/** Ann, who came in with her key, and her private room and a public one. */
async function prepare(policy: Parameters<typeof createPeopleParts>[1] = {}) {
  const parts = await createChatParts()
  const { tokens, people, keys } = createPeopleParts(parts, policy)
  const ann = withLogin(await parts.person('ann'), { key: KEY, network: '192.0.2.1' })
  await parts.rooms.create('den', ann, { private: true })
  await parts.rooms.create('hall', ann, { private: false })
  const comeIn = (token: string): Promise<Person | undefined> => tokens.identify(token, FROM)
  return { parts, tokens, people, keys, ann, comeIn }
}

const ban = (whom: Partial<Sanction>): Sanction => ({
  ...{ id: 'b1', kind: 'ban', room: null, who: '', people: [], keys: [], network: null },
  ...{ reason: '', by: 'root', at: 1, until: null },
  ...whom,
})

const namesFor = async ({ rooms }: ChatParts, person: Person) =>
  (await rooms.list(person)).map(({ name }) => name)

test('a token logs in as the person and key of its maker', async () => {
  const { tokens, ann, comeIn } = await prepare()
  const { token, id } = await tokens.make(ann, { rooms: null, days: 1 })
  expect(await comeIn(token)).toMatchObject({
    id: ann.id,
    name: 'ann',
    admin: false,
    guest: false,
    login: { key: KEY, network: FROM.network, token: { id } },
  })
})

test('a text that differs from the token is rejected', async () => {
  const { tokens, ann, comeIn } = await prepare()
  const { token } = await tokens.make(ann, { rooms: null, days: 1 })
  const others = [
    '',
    ' ',
    token.slice(1),
    `${token} `,
    token.toUpperCase(),
    'x'.repeat(100_000),
    "' OR 1 --",
    '\0',
  ]
  for (const text of others) expect(await comeIn(text)).toBeUndefined()
})

test('a token is rejected after its expiry and after its revocation', async () => {
  const { parts, tokens, ann, comeIn } = await prepare()
  const { token } = await tokens.make(ann, { rooms: null, days: 2 })
  parts.clock.advance(2 * DAY_MS - 1)
  expect(await comeIn(token)).toBeDefined()
  parts.clock.advance(1)
  expect(await comeIn(token)).toBeUndefined()
  const next = await tokens.make(ann, { rooms: null, days: 2 })
  await tokens.revoke(ann, next.id)
  expect(await comeIn(next.token)).toBeUndefined()
})

test('a token expires with the certificate that its maker used', async () => {
  const { parts, tokens, ann, comeIn } = await prepare()
  const certifiedUntil = parts.clock.now() + DAY_MS
  const certified = withLogin(ann, { key: KEY, network: '192.0.2.1', certifiedUntil })
  const { token, until } = await tokens.make(certified, { rooms: null, days: 30 })
  expect(until).toBe(certifiedUntil)
  parts.clock.advance(DAY_MS - 1)
  expect(await comeIn(token)).toBeDefined()
  parts.clock.advance(1)
  expect(await comeIn(token)).toBeUndefined()
  await expect(tokens.make(certified, { rooms: null, days: 1 })).rejects.toThrow('log in with a new one')
})

test('a token limited to rooms shows no other rooms and cannot create any', async () => {
  const { parts, tokens, ann, comeIn } = await prepare()
  const { token } = await tokens.make(ann, { rooms: [room('den')], days: 1 })
  const bound = (await comeIn(token))!
  expect(await namesFor(parts, bound)).toEqual(['den'])
  expect((await parts.rooms.get('den', bound)).name).toBe('den')
  for (const name of ['hall', 'none'])
    await expect(parts.rooms.get(name, bound)).rejects.toThrow(
      `there is no room called ${name}; see /rooms, or make it with /create`,
    )
  await expect(parts.rooms.create('new', bound, { private: true })).rejects.toThrow('cannot make another')
  const den = await parts.rooms.get('den', bound)
  await expect(parts.rooms.fork(den, 'copy', bound, { private: true })).rejects.toThrow('cannot make another')
})

test('a room invitation is unknown to a token that is limited to other rooms', async () => {
  const { parts, tokens, comeIn } = await prepare()
  const bob = await parts.person('bob')
  await parts.storage.chat.rooms.setMembership(room('den'), bob.id, 'invited')
  const bound = (await comeIn((await tokens.make(bob, { rooms: [room('hall')], days: 1 })).token))!
  const free = (await comeIn((await tokens.make(bob, { rooms: null, days: 1 })).token))!
  await expect(parts.rooms.get('den', free)).rejects.toThrow('you are invited to den')
  await expect(parts.rooms.get('den', bound)).rejects.toThrow('there is no room called den')
})

test("a token follows its maker's name, admin right and ban", async () => {
  const { parts, tokens, people, ann, comeIn } = await prepare()
  const { token } = await tokens.make(ann, { rooms: null, days: 1 })
  const before = (await comeIn(token))!
  await people.rename(ann, 'anne')
  expect([before.name, (await comeIn(token))?.name]).toEqual(['anne', 'anne'])
  await parts.storage.chat.people.claimAdmin(ann.id)
  expect((await comeIn(token))?.admin).toBe(true)
  await parts.sanctions.put(ban({ who: 'anne', people: [ann.id] }))
  expect(await comeIn(token)).toBeUndefined()
})

test("a token of a config admin's key has admin rights while the config names the key", async () => {
  let admins: readonly string[] = [KEY]
  const { tokens, ann, comeIn } = await prepare(() => ({ admins }))
  const { token } = await tokens.make(ann, { rooms: null, days: 1 })
  const person = (await comeIn(token))!
  expect(person.admin).toBe(true)
  admins = []
  expect(person.admin).toBe(false)
})

test('a token is rejected from a banned address and accepted from others', async () => {
  const { parts, tokens, ann, comeIn } = await prepare()
  const { token } = await tokens.make(ann, { rooms: null, days: 1 })
  await parts.sanctions.put(ban({ who: '192.0.2.0/24', network: '192.0.2.0/24' }))
  expect(await comeIn(token)).toBeUndefined()
  expect(await tokens.identify(token, { address: '198.51.100.1', network: '198.51.100.1' })).toBeDefined()
})
