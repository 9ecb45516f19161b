// What one server keeps in memory, and another one changes: each test has two servers' parts over one store.

import { expect, test } from 'vitest'
import type { RoomName } from '../../../src/words/entry.ts'
import { Clients, enforceDeletions, enforceSanctions } from '../../../src/chat/moderation/clients.ts'
import { createLocalPeers } from '../../../src/chat/local-peers.ts'
import type { Broadcasts, Peers } from '../../../src/chat/peers.ts'
import type { Sanction, ClientAct } from '../../../src/chat/moderation/ports.ts'
import { Sanctions } from '../../../src/chat/moderation/sanctions.ts'
import type { Fingerprint, Person, PersonId } from '../../../src/words/person.ts'
import { Preferences } from '../../../src/chat/personal/preferences.ts'
import { Away } from '../../../src/chat/talk/away.ts'
import { Ignores } from '../../../src/chat/talk/ignores.ts'
import { createChatParts } from '../../support/chat-parts.ts'
import { createPeopleParts } from '../../support/people.ts'

const key = (name: string): Fingerprint => `SHA256:${name}` as Fingerprint
const withKey = (person: Person, name = person.name): Person => ({
  ...person,
  login: { key: key(name), network: '192.0.2.1' },
})
const ban = (of: Person, more: Partial<Sanction> = {}): Sanction => ({
  ...{ id: '01A', kind: 'ban', room: null, who: of.name, people: [of.id], keys: [key(of.name)] },
  ...{ network: null, reason: 'spam', by: 'root', at: 0, until: null },
  ...more,
})

/** Writes down what happens to somebody. */
function client(clients: Clients, person: Person): { readonly told: string[]; readonly forget: () => void } {
  const told: string[] = []
  const forget = clients.begin({
    person,
    end: (why) => void told.push(`end: ${why}`),
    tell: (text) => void told.push(`tell: ${text}`),
    leave: async (room, why) => void told.push(`${room}: ${why}`),
  })
  return { told, forget }
}

/** A server that writes down what the others are to do. */
function recordedBroadcasts() {
  const broadcasts: Broadcasts[keyof Broadcasts][] = []
  const peers: Pick<Peers, 'broadcast'> = { broadcast: async (_kind, data) => void broadcasts.push(data) }
  return { broadcasts, peers }
}

test('a ban made on one server disconnects the person on another server', async () => {
  const { storage, clock, person } = await createChatParts()
  const { sanctions: store } = storage.chat
  const [bob, ann] = [withKey(await person('bob')), withKey(await person('ann'))]
  const [here, there] = [await Sanctions.load(store, clock), await Sanctions.load(store, clock)]
  const clients = new Clients(createLocalPeers())
  const readAgain = () => enforceSanctions({ sanctions: there, clients, clock }, storage.chat.rooms)
  const [ofBob, ofAnn] = [client(clients, bob), client(clients, ann)]
  await here.put(ban(bob, { until: clock.now() + 60_000 }))
  expect(there.whyOut(bob)).toBeUndefined()
  await readAgain()
  expect(ofBob.told).toEqual(['end: you were banned from this server for 1m: spam'])
  expect(there.barsLogin({ key: key('new'), holders: [bob.id], address: '' })).toBe(true)
  const den = 'den' as RoomName
  await storage.chat.rooms.create({
    ...{ name: den, topic: '', vibe: '', private: false, createdAt: 0 },
    owner: ann.id,
  })
  await here.put(ban(ann, { id: '01B', room: den }))
  await readAgain()
  await readAgain()
  expect([ofBob.told.length, ofAnn.told]).toEqual([1, []])
  expect(there.whyOut(withKey({ ...ann, id: 'other' as PersonId }, 'bob'))).toMatch(/^you are banned/)
  await here.lift(here.list(null))
  await readAgain()
  expect(there.whyOut(bob)).toBeUndefined()
})

test('a room that another server deletes is left by its people and cannot be entered', async () => {
  const { storage, clock, person } = await createChatParts()
  const bob = await person('bob')
  const sanctions = await Sanctions.load(storage.chat.sanctions, clock)
  const clients = new Clients(createLocalPeers())
  const { told } = client(clients, bob)
  const den = 'den' as RoomName
  await enforceDeletions(new Map([[den, 'ann deleted den']]), { sanctions, clients })
  expect(told).toEqual(['den: ann deleted den'])
  expect([sanctions.isGone(den), sanctions.whyOutOf(den, bob)]).toEqual([
    true,
    'den is being deleted or renamed',
  ])
  await enforceDeletions(new Map(), { sanctions, clients })
  expect(sanctions.isGone(den)).toBe(false)
})

test('an action for clients is applied on other servers to the people it concerns', async () => {
  const { person } = await createChatParts()
  const [bob, ann] = [withKey(await person('bob')), withKey(await person('ann'))]
  const { broadcasts, peers } = recordedBroadcasts()
  const [here, there] = [new Clients(peers), new Clients(createLocalPeers())]
  const token = { ...ann, login: { ...ann.login!, token: { id: 7, until: 0 } } }
  const [first, second, third] = [client(here, bob), client(there, ann), client(there, token)]
  void here.everywhere({ act: 'end', whom: { person: ann.id, key: key('ann') }, text: 'no key' })
  void here.everywhere({ act: 'end', whom: { token: 7 }, text: 'no token' })
  void here.everywhere({ act: 'tell', whom: { people: [bob.id], keys: [key('ann')] }, text: 'hello' })
  await here.everywhere({
    ...{ act: 'leave', room: 'den' as RoomName, text: 'out' },
    whom: { people: [], keys: [key('bob')] },
  })
  for (const act of JSON.parse(JSON.stringify(broadcasts)) as ClientAct[]) await there.apply(act)
  expect(first.told).toEqual(['tell: hello', 'den: out'])
  expect(second.told).toEqual(['end: no key', 'tell: hello'])
  expect(third.told).toEqual(['end: no key', 'end: no token', 'tell: hello'])
})

test("names, rights, absences, preferences and ignore lists are reread after another server's change", async () => {
  const parts = await createChatParts()
  const { storage, clock, log, person } = parts
  const [here, there] = [createPeopleParts(parts).people, createPeopleParts(parts, {}, 'CODE').people]
  const [bob, ann] = [await person('bob'), await person('ann')]
  const cameIn = await there.identify('bob', key('bob'), '')
  await here.rename(bob, 'bobby')
  await storage.chat.people.claimAdmin(bob.id)
  expect([cameIn.name, cameIn.admin, there.isClaimable()]).toEqual(['bob', false, true])
  await there.readAgain([bob.id, 'nobody' as PersonId])
  expect([cameIn.name, cameIn.admin, there.isClaimable()]).toEqual(['bobby', true, false])

  const { broadcasts, peers } = recordedBroadcasts()
  const [away, awayThere] = [
    new Away(storage.talk.away, clock, log, peers),
    new Away(storage.talk.away, clock, log, parts.peers),
  ]
  await away.leave(ann, 'lunch')
  await awayThere.readAgain()
  expect(awayThere.textOf(ann.id)).toBe('lunch')
  away.comeBack(ann.id)
  await awayThere.readAgain()
  expect(awayThere.textOf(ann.id)).toBe('lunch')
  await away.readAgain()
  await awayThere.readAgain()
  expect(awayThere.textOf(ann.id)).toBeUndefined()
  const guest = { id: `guest:${key('x')}:eve-2` as PersonId, name: 'eve-2', admin: false, guest: true }
  await away.leave(guest, 'tea')
  awayThere.guestAway(guest.id, 'tea')
  await awayThere.readAgain()
  expect(awayThere.textOf(guest.id)).toBe('tea')
  away.comeBack(guest.id)
  expect(broadcasts).toEqual(['tea', null].map((text) => ({ person: guest.id, text })))

  const [set, setThere] = await Promise.all([1, 2].map(() => Preferences.load(storage.chat.preferences, log)))
  const open = await setThere!.open(ann)
  const changed: string[] = []
  open.onChange((option) => changed.push(option))
  await set!.set(ann, 'bell', 'off')
  await set!.set(ann, 'color', 'pink')
  await setThere!.readAgain(ann)
  expect([open.now(), changed, setThere!.colourOf('ann')]).toEqual([
    { bell: 'off', color: 'pink' },
    ['bell', 'color'],
    'pink',
  ])

  const [ignores, ignoresThere] = [new Ignores(storage.talk.ignored), new Ignores(storage.talk.ignored)]
  const hearing = await ignoresThere.open(ann)
  await ignores.add(ann, withKey(bob))
  expect([hearing.acceptsFrom(bob), ignoresThere.isAnybodyIgnored()]).toEqual([true, false])
  await ignoresThere.readAgain([ann.id])
  expect([hearing.acceptsFrom(bob), ignoresThere.isAnybodyIgnored()]).toEqual([false, true])
  await ignores.remove(ann, bob.id)
  await ignoresThere.readAgain([ann.id])
  expect(hearing.acceptsFrom(bob)).toBe(true)
})
