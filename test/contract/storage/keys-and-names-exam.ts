import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import type { NameChange } from '../../../src/chat/people/ports.ts'
import { alice, bob, den, key, refused, register } from './cast.ts'

const to = (name: string, more: Partial<NameChange> = {}): NameChange => ({
  id: alice.id,
  name,
  skeleton: name.toLowerCase(),
  at: 10,
  keptUntil: 100,
  ...more,
})

/** What stores of keys and of names must do; `store` gives that of the running test. */
export function keysAndNamesExam(store: () => Storage): void {
  const keys = () => store().chat.keys
  const rename = (change: NameChange, max = 9) => store().chat.names.rename(change, max)
  const bearer = async (skeleton: string, at = 50) =>
    (await store().chat.people.forLogin(skeleton, key(1), at)).person

  test('keys are listed once in the order of adding, up to the limit', async () => {
    await store().chat.people.register(alice, 'alice', key(1), 5)
    expect(await keys().add(alice.id, key(2), 6, 2)).toBe('added')
    expect(await keys().add(alice.id, key(2), 7, 2)).toBe('known')
    expect(await keys().add(alice.id, key(3), 7, 2)).toBe('full')
    expect(await keys().list(alice.id)).toEqual([
      { fingerprint: key(1), addedAt: 5, isWaiting: false },
      { fingerprint: key(2), addedAt: 6, isWaiting: true },
    ])
    expect(await keys().list(bob.id)).toEqual([])
    await refused(keys().add(bob.id, key(4), 6, 2))
  })

  test('a key may wait for several people, and one of two concurrent proofs wins', async () => {
    await store().chat.people.register(alice, 'alice', key(1), 5)
    await store().chat.people.register(bob, 'bob', key(2), 5)
    expect(await keys().prove(bob.id, key(3))).toBe(false)
    for (const { id } of [alice, bob]) expect(await keys().add(id, key(3), 6, 9)).toBe('added')
    const both = await Promise.all([alice, bob].map(({ id }) => keys().prove(id, key(3))))
    expect(both).toEqual([true, false])
    expect(await keys().prove(alice.id, key(3))).toBe(true)
    expect(await keys().list(alice.id)).toEqual([
      { fingerprint: key(1), addedAt: 5, isWaiting: false },
      { fingerprint: key(3), addedAt: 6, isWaiting: false },
    ])
    expect(await keys().add(bob.id, key(1), 6, 9)).toBe('added')
    expect(await keys().prove(bob.id, key(1))).toBe(false)
    expect((await keys().list(bob.id)).map(({ isWaiting }) => isWaiting)).toEqual([false, true, true])
  })

  test('the last proven key cannot be removed, even by concurrent removals', async () => {
    await store().chat.people.register(alice, 'alice', key(1), 5)
    await keys().add(alice.id, key(2), 6, 9)
    expect(await keys().remove(alice.id, key(1))).toBe('last')
    await keys().prove(alice.id, key(2))
    await keys().add(alice.id, key(3), 7, 9)
    expect(await keys().remove(alice.id, key(3))).toBe('removed')
    expect(await keys().remove(bob.id, key(1))).toBe('unknown')
    const both = await Promise.all([key(1), key(2)].map((one) => keys().remove(alice.id, one)))
    expect(both).toEqual(['removed', 'last'])
    expect(await keys().remove(alice.id, key(1))).toBe('unknown')
    expect(await keys().list(alice.id)).toEqual([{ fingerprint: key(2), addedAt: 6, isWaiting: false }])
  })

  test('a person without a key is registered and found by name', async () => {
    expect(await store().chat.people.register(alice, 'alice', undefined, 5)).toBe(true)
    expect(await bearer('alice')).toEqual(alice)
    expect(await keys().list(alice.id)).toEqual([])
  })

  test('a former name is kept for its person after a rename until it expires', async () => {
    await register(store(), alice)
    expect(await rename(to('Ann'))).toBe('renamed')
    const ann = { ...alice, name: 'Ann' }
    expect(await store().chat.people.byId(alice.id)).toEqual(ann)
    expect([await bearer('ann'), await bearer('alice')]).toEqual([ann, ann])
    expect(await store().chat.people.register(bob, 'alice', key(2), 99)).toBe(false)
    expect(await bearer('alice', 100)).toBeUndefined()
    expect(await store().chat.people.register(bob, 'alice', key(2), 100)).toBe(true)
    expect(await bearer('alice', 50)).toEqual(bob)
  })

  test('a name that a person has or keeps is not given to another person', async () => {
    await register(store(), alice, bob)
    expect(await rename(to('bob'))).toBe('taken')
    await rename(to('ann'))
    expect(await rename(to('alice', { id: bob.id }))).toBe('taken')
    expect(await rename(to('alice', { id: bob.id, at: 100 }))).toBe('renamed')
    await refused(rename(to('x', { id: 'p-nobody' as typeof alice.id })))
  })

  test('a person can take a former name back and keeps at most the limit of names', async () => {
    await register(store(), alice)
    expect([await rename(to('b'), 1), await rename(to('c'), 1)]).toEqual(['renamed', 'full'])
    expect(await rename(to('alice'), 1)).toBe('renamed')
    expect(await rename(to('ALICE'), 1)).toBe('renamed')
    expect(await bearer('b')).toMatchObject({ name: 'ALICE' })
    expect(await rename(to('d'), 1)).toBe('full')
    expect(await rename(to('d', { at: 100, keptUntil: 200 }), 1)).toBe('renamed')
  })

  test('permissions and charges of a person follow a rename', async () => {
    await register(store(), alice, bob)
    await store().chat.rooms.create({
      name: den,
      topic: '',
      vibe: '',
      private: false,
      owner: alice.id,
      createdAt: 5,
    })
    const grant = { person: alice.id, name: 'alice', room: den, tool: 'Grep', target: '*', by: 'Bob', at: 6 }
    await store().tools.grants.put(grant)
    const charge = { at: 6, room: den, model: 'qwen', opensTurn: true, usage: { input: 3, output: 4 } }
    await store().models.charges.add({ ...charge, person: 'alice', payers: [] })
    await rename(to('ann'))
    expect(await store().tools.grants.list(den, 7)).toMatchObject([
      { name: 'ann', person: alice.id, by: 'Bob' },
    ])
    const used = await store().models.charges.usage({ room: den, by: 'person', since: 0 })
    expect(used.map(({ key }) => key)).toEqual(['ann'])
  })
}
