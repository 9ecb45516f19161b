import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import type { PersonId } from '../../../src/words/person.ts'
import { skeleton } from '../../../src/base/text/names.ts'
import { alice, bob, key, register, refused } from './cast.ts'

/** What a people store must do; `store` gives that of the running test. */
export function peopleExam(store: () => Storage): void {
  test('people are found by id and by skeleton, with their proven keys in order of adding', async () => {
    expect(await store().chat.people.register(alice, 'alice', key(2), 5)).toBe(true)
    await store().chat.keys.add(alice.id, key(1), 6, 9)
    expect(await store().chat.people.keysOf(alice.id)).toEqual([key(2)])
    await store().chat.keys.prove(alice.id, key(1))
    expect(await store().chat.people.bySkeleton('alice', 0)).toEqual(alice)
    expect(await store().chat.people.byId(alice.id)).toEqual(alice)
    expect(await store().chat.people.keysOf(alice.id)).toEqual([key(2), key(1)])
    expect(await store().chat.people.bySkeleton('bob', 0)).toBeUndefined()
    expect(await store().chat.people.byId(bob.id)).toBeUndefined()
    expect(await store().chat.people.keysOf(bob.id)).toEqual([])
  })

  test('several people are found by their ids, without unknown ones', async () => {
    for (const person of [alice, bob]) await store().chat.people.register(person, person.id, key(1), 5)
    const found = await store().chat.people.byIds([bob.id, 'nobody' as PersonId, alice.id])
    expect(new Set(found)).toEqual(new Set([alice, bob]))
    expect(await store().chat.people.byIds([])).toEqual([])
  })

  test('a login finds the person by name and the holders of the key', async () => {
    const forLogin = (name: string, n: number) => store().chat.people.forLogin(name, key(n), 9)
    expect(await forLogin('alice', 1)).toEqual({
      ownsName: false,
      isWaiting: false,
      namesOfKey: 0,
      holders: [],
    })
    await store().chat.people.register(alice, 'alice', key(1), 5)
    await store().chat.people.register(bob, 'bob', key(1), 5)
    await store().chat.keys.add(bob.id, key(2), 6, 9)
    expect(await forLogin('bob', 2)).toMatchObject({ ownsName: false, isWaiting: true, holders: [] })
    expect(await forLogin('alice', 2)).toMatchObject({ ownsName: false, isWaiting: false, holders: [] })
    await store().chat.keys.prove(bob.id, key(2))
    expect(await forLogin('alice', 1)).toEqual({
      person: alice,
      filedName: alice.name,
      ownsName: true,
      isWaiting: false,
      namesOfKey: 2,
      holders: [alice.id, bob.id],
    })
    expect(await forLogin('bob', 2)).toEqual({
      person: bob,
      filedName: bob.name,
      ownsName: true,
      isWaiting: false,
      namesOfKey: 1,
      holders: [bob.id],
    })
    expect(await forLogin('alice', 2)).toEqual({
      person: alice,
      filedName: alice.name,
      ownsName: false,
      isWaiting: false,
      namesOfKey: 1,
      holders: [bob.id],
    })
    expect(await forLogin('carol', 1)).toEqual({
      ownsName: false,
      isWaiting: false,
      namesOfKey: 2,
      holders: [alice.id, bob.id],
    })
  })

  test('holders of several keys are found once, without unproven keys', async () => {
    const { people, keys } = store().chat
    await people.register(bob, 'bob', key(1), 5)
    await people.register(alice, 'alice', key(1), 5)
    for (const n of [2, 3]) await keys.add(bob.id, key(n), 6, 9)
    await keys.prove(bob.id, key(2))
    expect(await people.holdersOf([key(1), key(2), key(9)])).toEqual([bob, alice])
    expect(await people.holdersOf([key(2)])).toEqual([bob])
    expect(await people.holdersOf([key(3)])).toEqual([])
    expect(await people.holdersOf([])).toEqual([])
  })

  test('people are found by a name prefix in any case, even with four-byte characters', async () => {
    const { people } = store().chat
    const add = async (name: string, n: number): Promise<void> =>
      void (await people.register({ ...alice, id: name as PersonId, name }, skeleton(name), key(n), 5))
    for (const [n, name] of ['Bo', 'bob', 'alice', '𠀋子', 'c%d'].entries()) await add(name, n + 1)
    const names = async (start: string, most = 9): Promise<readonly string[]> =>
      (await people.beginning(skeleton(start), most)).map(({ name }) => name)
    expect(new Set(await names('b'))).toEqual(new Set(['Bo', 'bob']))
    expect(await names('BOB')).toEqual(['bob'])
    expect(await names('𠀋')).toEqual(['𠀋子'])
    expect(await names('%')).toEqual([])
    expect(await names('', 2)).toHaveLength(2)
  })

  test('only the first of two people registers a skeleton', async () => {
    const attempts = [alice, bob].map((person) => store().chat.people.register(person, 'same', key(1), 5))
    expect(await Promise.all(attempts)).toEqual([true, false])
    expect(await store().chat.people.bySkeleton('same', 0)).toEqual(alice)
    expect(await store().chat.people.keysOf(bob.id)).toEqual([])
  })

  test('a person is not registered under a name that resembles an older one', async () => {
    const register = (id: string, name: string, skeleton: string) =>
      store().chat.people.register({ ...alice, id: id as PersonId, name }, skeleton, key(1), 5)
    expect(await register('1', 'Вера', 'ʙepa')).toBe(true)
    expect(await register('2', 'Bepa', 'bepa')).toBe(false)
    expect(await register('3', 'lvan', 'lvan')).toBe(true)
    expect(await register('4', 'Ivan', 'ivan')).toBe(false)
    expect(await register('5', 'ivan', 'ivan')).toBe(true)
  })

  test('one key cannot register more names than its limit, even concurrently', async () => {
    const register = (n: number) => {
      const person = { ...alice, id: `p${n}` as PersonId, name: `p${n}` }
      return store().chat.people.register(person, `p${n}`, key(1), 5, 2)
    }
    const done = await Promise.all([1, 2, 3, 4].map(register))
    expect(done.filter((registered) => registered)).toHaveLength(2)
    expect(await store().chat.people.forLogin('x', key(1), 9)).toMatchObject({
      ownsName: false,
      isWaiting: false,
      namesOfKey: 2,
    })
  })

  test('names are indexed by the current rules only once', async () => {
    await register(store(), alice, bob)
    expect(await store().chat.people.reindexNames()).toEqual({ names: 2, alike: [], unfit: [] })
    expect(await store().chat.people.reindexNames()).toBeUndefined()
    expect(await store().chat.people.bySkeleton('alice', 0)).toEqual(alice)
  })

  test('a key of an unknown person and a taken person id are refused', async () => {
    await register(store(), alice)
    await refused(store().chat.keys.add(bob.id, key(2), 5, 9))
    await refused(store().chat.people.register({ ...alice, name: 'other' }, 'other', key(1), 5))
  })

  test('only one person becomes the first admin', async () => {
    await register(store(), alice, bob)
    expect(await store().chat.people.hasAdmin()).toBe(false)
    expect(await store().chat.people.claimAdmin('p-nobody' as PersonId)).toBe(false)
    const claims = await Promise.all([
      store().chat.people.claimAdmin(alice.id),
      store().chat.people.claimAdmin(bob.id),
    ])
    expect(claims).toEqual([true, false])
    expect(await store().chat.people.byId(alice.id)).toEqual({ ...alice, admin: true })
    expect(await store().chat.people.hasAdmin()).toBe(true)
  })

  test('a person is found by a former name while it is kept', async () => {
    const { people, names } = store().chat
    await people.register(alice, 'alice', key(1), 5)
    const change = { id: alice.id, name: 'alicia', skeleton: 'alicia', at: 10, keptUntil: 20 }
    expect(await names.rename(change, 1)).toBe('renamed')
    expect(await people.bySkeleton('alice', 19)).toEqual({ ...alice, name: 'alicia' })
    expect(await people.bySkeleton('alice', 20)).toBeUndefined()
    expect(await people.forLogin('alice', key(1), 19)).toMatchObject({ filedName: alice.name })
  })
}
