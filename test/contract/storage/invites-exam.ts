import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import type { NewInvite, Newcomer } from '../../../src/chat/people/ports.ts'
import type { PersonId } from '../../../src/words/person.ts'
import { alice, bob, den, key, lobby, refused, register } from './cast.ts'

const code = (digest: string, more: Partial<NewInvite> = {}): NewInvite => ({
  digest,
  by: alice.id,
  room: null,
  uses: 1,
  until: 100,
  at: 5,
  ...more,
})

const carol = { ...bob, id: 'p-carol' as PersonId, name: 'carol' }

const newcomer = (person = bob, at = 10): Newcomer => ({
  person,
  skeleton: person.name.toLowerCase(),
  key: key(7),
  most: 9,
  at,
})

/** What a store of invite codes must do; `store` gives that of the running test. */
export function invitesExam(store: () => Storage): void {
  const invites = () => store().chat.invites

  async function makeRoom(isPrivate: boolean): Promise<void> {
    const room = { name: den, topic: '', vibe: '', private: isPrivate, owner: alice.id, createdAt: 5 }
    await store().chat.rooms.create(room)
  }

  test('an invite code is found by its digest and listed until it expires', async () => {
    await register(store(), alice, bob)
    expect(await invites().add(code('a', { uses: 2 }), 9)).toBe(1)
    expect(await invites().add(code('b', { by: bob.id, until: 50 }), 9)).toBe(2)
    const first = { id: 1, by: alice, room: null, uses: 2, usesLeft: 2, until: 100 }
    expect(await invites().find('a', 99)).toEqual(first)
    expect(await invites().find('a', 100)).toBeUndefined()
    expect(await invites().find('c', 10)).toBeUndefined()
    expect((await invites().list(49)).map(({ id }) => id)).toEqual([1, 2])
    expect(await invites().list(50)).toEqual([first])
    expect((await invites().list(10, bob.id)).map(({ id }) => id)).toEqual([2])
  })

  test('a person has at most the limit of invite codes, without expired ones', async () => {
    await register(store(), alice, bob)
    const added = await Promise.all(['a', 'b', 'c'].map((digest) => invites().add(code(digest), 2)))
    expect(added).toEqual([1, 2, undefined])
    expect(await invites().add(code('d', { by: bob.id }), 2)).toBeGreaterThan(2)
    expect(await invites().add(code('e', { at: 100, until: 200 }), 2)).toBeGreaterThan(3)
    await refused(invites().add(code('e', { at: 100, until: 200 }), 9))
  })

  test('an invite code is revoked by its maker or by an admin', async () => {
    await register(store(), alice, bob)
    for (const digest of ['a', 'b']) await invites().add(code(digest), 9)
    expect(await invites().revoke(1, 10, bob.id)).toBe(false)
    expect(await invites().revoke(1, 10, alice.id)).toBe(true)
    expect(await invites().revoke(1, 10, alice.id)).toBe(false)
    expect(await invites().revoke(2, 100)).toBe(false)
    expect(await invites().revoke(2, 10)).toBe(true)
    expect(await invites().redeem('a', newcomer())).toBe('no-code')
  })

  test('an invite code for one person admits one of two concurrent newcomers', async () => {
    await register(store(), alice)
    await invites().add(code('a'), 9)
    const both = await Promise.all([bob, carol].map((who) => invites().redeem('a', newcomer(who))))
    expect(both).toMatchObject([{ id: 1, by: alice }, 'no-code'])
    expect(await store().chat.people.forLogin('bob', key(7), 11)).toMatchObject({
      person: bob,
      ownsName: true,
    })
    expect(await store().chat.people.byId(carol.id)).toBeUndefined()
  })

  test('an invite code is not used up by a taken name or after its expiry', async () => {
    await register(store(), alice)
    await invites().add(code('a'), 9)
    expect(await invites().redeem('a', { ...newcomer(), skeleton: 'alice' })).toBe('no-name')
    expect(await invites().redeem('a', newcomer(bob, 100))).toBe('no-code')
    expect(await invites().find('a', 10)).toMatchObject({ usesLeft: 1 })
  })

  test('an invite code invites to a private room and makes a member of a public room', async () => {
    await register(store(), alice)
    await makeRoom(true)
    await invites().add(code('a', { room: den }), 9)
    expect(await invites().redeem('a', newcomer())).toMatchObject({ room: den })
    expect(await store().chat.rooms.membership(den, bob.id)).toBe('invited')
    const told = { person: bob.id, room: den, inviter: 'alice', at: 10 }
    expect(await store().chat.invitations.take(bob.id)).toEqual([told])
    await store().chat.rooms.create({
      name: lobby,
      topic: '',
      vibe: '',
      private: false,
      owner: null,
      createdAt: 1,
    })
    await invites().add(code('b', { room: lobby }), 9)
    await invites().redeem('b', newcomer(carol))
    expect(await store().chat.rooms.membership(lobby, carol.id)).toBe('member')
    expect(await store().chat.invitations.take(carol.id)).toEqual([])
  })

  test('an invite code leads to no private room that its maker no longer manages', async () => {
    await register(store(), alice)
    await makeRoom(true)
    await invites().add(code('a', { room: den }), 9)
    await store().chat.rooms.setMembership(den, alice.id, 'member')
    expect(await invites().redeem('a', newcomer())).toMatchObject({ id: 1, room: null })
    expect(await store().chat.rooms.membership(den, bob.id)).toBeUndefined()
  })

  test('an invite code for a missing room or person is refused', async () => {
    await register(store(), alice)
    await refused(invites().add(code('a', { room: den }), 9))
    await refused(invites().add(code('a', { by: bob.id }), 9))
  })
}
