import { expect, test } from 'vitest'
import type { Storage } from '../../../src/adapters/storage/storage.ts'
import type { PersonId } from '../../../src/chat/people/person.ts'
import { skeleton } from '../../../src/lib/text/names.ts'
import { alice, bob, key, register, refused } from './cast.ts'

/** What a people store must do; `store` gives that of the running test. */
export function peopleExam(store: () => Storage): void {
  test('are found by id and by skeleton, with their keys in order of adding', async () => {
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

  test('are found together by their ids, those who are registered', async () => {
    for (const person of [alice, bob]) await store().chat.people.register(person, person.id, key(1), 5)
    const found = await store().chat.people.byIds([bob.id, 'nobody' as PersonId, alice.id])
    expect(new Set(found)).toEqual(new Set([alice, bob]))
    expect(await store().chat.people.byIds([])).toEqual([])
  })

  test('are found for a login by name and key, with who has the key', async () => {
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

  test('are found by keys that several have, each once and without keys that wait', async () => {
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

  test('are found by the beginning of a name in order of name, in any case and with characters of four bytes', async () => {
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

  test('have a skeleton that only the first of many gets', async () => {
    const attempts = [alice, bob].map((person) => store().chat.people.register(person, 'same', key(1), 5))
    expect(await Promise.all(attempts)).toEqual([true, false])
    expect(await store().chat.people.bySkeleton('same', 0)).toEqual(alice)
    expect(await store().chat.people.keysOf(bob.id)).toEqual([])
  })

  test('are not registered under a name that looks like another, whichever was first', async () => {
    const register = (id: string, name: string, skeleton: string) =>
      store().chat.people.register({ ...alice, id: id as PersonId, name }, skeleton, key(1), 5)
    expect(await register('1', 'Вера', 'ʙepa')).toBe(true)
    expect(await register('2', 'Bepa', 'bepa')).toBe(false)
    expect(await register('3', 'lvan', 'lvan')).toBe(true)
    expect(await register('4', 'Ivan', 'ivan')).toBe(false)
    expect(await register('5', 'ivan', 'ivan')).toBe(true)
  })

  test('are registered at once by one key no more often than it may have names', async () => {
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

  test('are filed by the rules of now once', async () => {
    await register(store(), alice, bob)
    expect(await store().chat.people.fileNames()).toEqual({ names: 2, alike: [], unfit: [] })
    expect(await store().chat.people.fileNames()).toBeUndefined()
    expect(await store().chat.people.bySkeleton('alice', 0)).toEqual(alice)
  })

  test('refuse a key for nobody, and an id that is taken', async () => {
    await register(store(), alice)
    await refused(store().chat.keys.add(bob.id, key(2), 5, 9))
    await refused(store().chat.people.register({ ...alice, name: 'other' }, 'other', key(1), 5))
  })

  test('have one first admin', async () => {
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

  test('are found by a former name as long as it is kept for them', async () => {
    const { people, names } = store().chat
    await people.register(alice, 'alice', key(1), 5)
    const change = { id: alice.id, name: 'alicia', skeleton: 'alicia', at: 10, keptUntil: 20 }
    expect(await names.rename(change, 1)).toBe('renamed')
    expect(await people.bySkeleton('alice', 19)).toEqual({ ...alice, name: 'alicia' })
    expect(await people.bySkeleton('alice', 20)).toBeUndefined()
    expect(await people.forLogin('alice', key(1), 19)).toMatchObject({ filedName: alice.name })
  })
}
