import { expect, test } from 'vitest'
import { InviteRefusal } from '../../../../src/words/errors.ts'
import type { Fingerprint, Person } from '../../../../src/words/person.ts'
import type { PeoplePolicy } from '../../../../src/chat/people/registration.ts'
import { createChatParts } from '../../../support/chat-parts.ts'
import { createPeopleParts, MAX_OPEN_INVITES } from '../../../support/people.ts'

const HERE = '127.0.0.1'

const key = (name: string) => `SHA256:${name}` as Fingerprint
const DAY_MS = 86_400_000

async function world(policy: Partial<PeoplePolicy> = {}) {
  const parts = await createChatParts()
  const all = createPeopleParts(parts, { access: 'invite', modelNames: ['qwen'], ...policy })
  const ann = await parts.person('ann')
  return {
    ...parts,
    ...all,
    ann,
    code: (uses = 1, days = 7) => all.invites.make(ann, { uses, days, room: null }),
  }
}

/** Why somebody did not come in. */
const reason = (login: Promise<Person>): Promise<unknown> =>
  login.then(
    () => 'in',
    (error: unknown) => (error instanceof InviteRefusal ? error.reason : error),
  )

test('an unknown key is asked for an invite code, whatever the name', async () => {
  const { people } = await world()
  for (const name of ['new', 'ann', 'ANN', 'qwen', 'system', '', 'a b', 'x'.repeat(30_000), 'a\u202eb'])
    expect(await reason(people.identify(name, key('b'), HERE))).toBe('no-code')
})

test('an unknown key is registered with a valid code, which is used only once', async () => {
  const { people, code, redeemed } = await world()
  const one = await code()
  const bob = await people.identify('bob', key('b'), HERE, { code: one })
  expect(bob).toMatchObject({ name: 'bob', guest: false, admin: false })
  expect(await people.identify('bob', key('b'), HERE)).toEqual(bob)
  expect(await people.identify('bob', key('b'), HERE, { code: one })).toEqual(bob)
  expect(await reason(people.identify('carol', key('c'), HERE, { code: one }))).toBe('wrong-code')
  expect(redeemed).toEqual([{ by: 'ann', room: null, who: 'bob' }])
})

test('a code of a banned person is rejected until the ban is over', async () => {
  const { people, code, sanctions, ann, clock } = await world()
  const one = await code()
  const at = clock.now()
  await sanctions.put({
    ...{ id: 'ban', kind: 'ban', room: null, who: 'ann', people: [ann.id], keys: [] },
    ...{ network: null, reason: '', by: 'root', at, until: at + 1000 },
  })
  const come = () => reason(people.identify('bob', key('b'), HERE, { code: one }))
  expect(await come()).toBe('wrong-code')
  clock.advance(1001)
  expect(await come()).toBe('in')
})

test.each([
  ['small letters without dashes', (code: string) => code.toLowerCase().replaceAll('-', '')],
  ['spaces around it', (code: string) => ` ${code} `],
])('an invite code is accepted with %s', async (_, written) => {
  const { people, code } = await world()
  expect(await reason(people.identify('bob', key('b'), HERE, { code: written(await code()) }))).toBe('in')
})

test.each(['', '-', 'AAAA-AAAA-AAAA-AAAA', '\0', 'x'.repeat(30_000)])(
  'the code %j is rejected in the same way for all names',
  async (code) => {
    const { people } = await world()
    for (const name of ['new', 'ann', 'qwen', 'a b'])
      expect(await reason(people.identify(name, key('b'), HERE, { code }))).toBe('wrong-code')
  },
)

test('an expired or revoked invite code is rejected', async () => {
  const { people, code, clock, invites, ann } = await world()
  const [expired, revoked] = [await code(1, 1), await code(1, 2)]
  await invites.revoke(ann, 2)
  clock.step(DAY_MS)
  for (const one of [expired, revoked])
    expect(await reason(people.identify('bob', key('b'), HERE, { code: one }))).toBe('wrong-code')
})

test('an invite code is not used up if the requested name is refused', async () => {
  const { people, code } = await world({ namesPerKey: 1 })
  const one = await code()
  for (const name of ['ann', 'Ann', 'qwen', 'a b'])
    expect(await reason(people.identify(name, key('b'), HERE, { code: one }))).toBe('no-name')
  expect(await reason(people.identify('bob', key('b'), HERE, { code: one }))).toBe('in')
  const other = await code()
  expect(await reason(people.identify('bobby', key('b'), HERE, { code: other }))).toBe('no-name')
  expect(await reason(people.identify('carol', key('c'), HERE, { code: other }))).toBe('in')
})

test('two simultaneous logins with one name, key and code are one person and use the code once', async () => {
  const { people, code, storage } = await world()
  const one = await code(2)
  const both = await Promise.all([1, 2].map(() => people.identify('bob', key('b'), HERE, { code: one })))
  expect(both[0]).toEqual(both[1])
  expect(await storage.chat.invites.list(0)).toMatchObject([{ usesLeft: 1 }])
})

test('only one of two keys that use the same code at the same time is accepted', async () => {
  const { people, code } = await world()
  const one = await code()
  const both = ['b', 'c'].map((who) => reason(people.identify(who, key(who), HERE, { code: one })))
  expect(new Set(await Promise.all(both))).toEqual(new Set(['in', 'wrong-code']))
})

test('an invite code on an open server registers a new person, and admits no guest', async () => {
  const { people, code } = await world({ access: 'open' })
  const one = await code()
  expect(await reason(people.identify('ann', key('b'), HERE, { code: one }))).toBe('no-name')
  expect(await reason(people.identify('bob', key('b'), HERE, { code: one }))).toBe('in')
  expect(await reason(people.identify('carol', key('c'), HERE, { code: 'no such' }))).toBe('wrong-code')
})

test('a person has a limited number of open invite codes, and expired or revoked ones do not count', async () => {
  const { code, invites, ann, clock } = await world()
  for (let n = 0; n < MAX_OPEN_INVITES; n++)
    expect(await code()).toMatch(/^([A-HJ-NP-Z2-9]{4}-){3}[A-HJ-NP-Z2-9]{4}$/)
  await expect(code()).rejects.toThrow(`${MAX_OPEN_INVITES} open codes already; revoke one`)
  await invites.revoke(ann, 1)
  await code()
  clock.step(8 * DAY_MS)
  await code()
  expect(await invites.list(ann)).toHaveLength(1)
})

const certified = { isCertified: true }

test('a certificate admits its holder with another key, and registers a free name', async () => {
  const { people, ann, keys } = await world({ access: 'closed' })
  expect(await people.identify('ann', key('b'), HERE, certified)).toMatchObject({ id: ann.id, guest: false })
  const bob = await people.identify('bob', key('b'), HERE, certified)
  expect(bob).toMatchObject({ name: 'bob', guest: false })
  expect(await keys.list(bob)).toEqual([])
  await expect(people.identify('bob', key('b'), HERE)).rejects.toThrow('only people it knows')
})

test('a certificate does not register a name of a model or an invalid name', async () => {
  const { people } = await world()
  for (const name of ['qwen', 'a b'])
    await expect(people.identify(name, key('b'), HERE, certified)).rejects.toThrow(/taken|cannot be called/)
})

test('a certificate that is used twice at once registers one person', async () => {
  const { people } = await world()
  const both = await Promise.all([1, 2].map(() => people.identify('bob', key('b'), HERE, certified)))
  expect(both[0]).toEqual(both[1])
})

test('a registered person can still log in after a model got their name', async () => {
  const models: string[] = []
  const parts = await createChatParts()
  const { people } = createPeopleParts(parts, () => ({ modelNames: models }))
  const phi = await people.identify('phi', key('p'), HERE)
  models.push('phi')
  expect(await people.identify('phi', key('p'), HERE)).toEqual(phi)
  await expect(people.identify('phi', key('q'), HERE)).rejects.toThrow('is taken')
})
