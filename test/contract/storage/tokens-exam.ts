import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import type { NewToken } from '../../../src/chat/people/ports.ts'
import { room } from '../../support/storage.ts'
import { alice, bob, den, key, lobby, nowhere, refused, register } from './cast.ts'

const token = (digest: string, more: Partial<NewToken> = {}): NewToken => ({
  digest,
  by: alice.id,
  key: key(1),
  rooms: null,
  at: 5,
  until: 100,
  ...more,
})

/** What a store of bearer tokens must do; `store` gives that of the running test. */
export function tokensExam(store: () => Storage): void {
  const tokens = () => store().chat.tokens
  const idsOf = async (by = alice.id, at = 10) => (await tokens().list(by, at)).map(({ id }) => id)
  const makeRooms = async () => {
    for (const name of [lobby, den]) await store().chat.rooms.create(room(name, {}))
  }

  test('a token is found by its digest and listed for its maker until it expires', async () => {
    await register(store(), alice, bob)
    expect(await tokens().add(token('a'), 9)).toBe(1)
    expect(await tokens().add(token('b', { by: bob.id, key: null, until: 50 }), 9)).toBe(2)
    expect(await tokens().find('a', 99)).toEqual({
      ...{ id: 1, by: alice, key: key(1), rooms: null, at: 5, until: 100 },
    })
    expect(await tokens().find('a', 100)).toBeUndefined()
    expect(await tokens().find('', 10)).toBeUndefined()
    expect(await tokens().find('b', 49)).toMatchObject({ by: bob, key: null })
    expect([await idsOf(), await idsOf(bob.id), await idsOf(bob.id, 50)]).toEqual([[1], [2], []])
  })

  test('a token is limited to its rooms in order of name, and to none after their removal', async () => {
    await register(store(), alice)
    await makeRooms()
    await tokens().add(token('a', { rooms: [lobby, den] }), 9)
    const rooms = async () => (await tokens().find('a', 10))?.rooms
    expect(await rooms()).toEqual([den, lobby])
    await store().chat.removal.remove(den)
    expect(await rooms()).toEqual([lobby])
    await store().chat.removal.remove(lobby)
    expect(await rooms()).toEqual([])
    await makeRooms()
    expect(await rooms()).toEqual([])
  })

  test('a person has at most the limit of tokens, without expired ones', async () => {
    await register(store(), alice, bob)
    const added = await Promise.all(['a', 'b', 'c'].map((digest) => tokens().add(token(digest), 2)))
    expect(added).toEqual([1, 2, undefined])
    expect(await tokens().add(token('d', { by: bob.id }), 2)).toBeGreaterThan(2)
    expect(await tokens().add(token('e', { at: 100, until: 200 }), 2)).toBeGreaterThan(3)
    await refused(tokens().add(token('e', { at: 100, until: 200 }), 9))
  })

  test('a token is revoked once by its maker or by an admin', async () => {
    await register(store(), alice, bob)
    for (const digest of ['a', 'b']) await tokens().add(token(digest), 9)
    expect(await tokens().revoke(1, 10, bob.id)).toBe(false)
    expect(await tokens().revoke(1, 10, alice.id)).toBe(true)
    expect(await tokens().revoke(1, 10, alice.id)).toBe(false)
    expect(await tokens().find('a', 10)).toBeUndefined()
    expect(await tokens().revoke(2, 100)).toBe(false)
    expect(await tokens().revoke(2, 10)).toBe(true)
  })

  test('a token is removed together with the key that made it', async () => {
    await register(store(), alice, bob)
    const { keys } = store().chat
    await keys.add(alice.id, key(2), 6, 9)
    await keys.prove(alice.id, key(2))
    for (const [digest, made] of [
      ['a', key(1)],
      ['b', key(2)],
      ['c', null],
    ] as const)
      await tokens().add(token(digest, { key: made }), 9)
    await tokens().add(token('d', { by: bob.id }), 9)
    expect(await keys.remove(alice.id, key(1))).toBe('removed')
    expect([await idsOf(), await idsOf(bob.id)]).toEqual([[2, 3], [4]])
    expect(await keys.remove(alice.id, key(2))).toBe('last')
    expect(await idsOf()).toEqual([2, 3])
  })

  test('a token for a missing room or person is refused and not stored', async () => {
    await register(store(), alice)
    await makeRooms()
    await refused(tokens().add(token('a', { rooms: [den, nowhere] }), 9))
    await refused(tokens().add(token('a', { by: bob.id }), 9))
    expect(await tokens().find('a', 10)).toBeUndefined()
  })
}
