import { expect, test } from 'vitest'
import type { Storage } from '../../../src/adapters/storage/storage.ts'
import type { Person, PersonId } from '../../../src/chat/people/person.ts'
import type { DirectMessage } from '../../../src/chat/talk/ports.ts'
import { alice, bob, refused, register } from './cast.ts'

const guest: Person = { id: 'guest:k:eve-2' as PersonId, name: 'eve-2', admin: false, guest: true }
const letter = (n: number, to = bob, from = alice): DirectMessage => ({
  id: `m${n}`,
  to: to.id,
  from: { id: from.id, name: from.name, guest: from.guest },
  at: n,
  text: `text ${n}`,
})

/** What a store of messages to one person, and of who ignores whom, must do; `store` gives the one of the running test. */
export function talkExam(store: () => Storage): void {
  const limits = { forOne: 3, fromOne: 2, inAll: 4, notBefore: 0 }

  test('messages wait for their person, oldest first, until they are removed', async () => {
    await register(store(), alice, bob)
    const { messages } = store().talk
    for (const message of [letter(2), letter(1, bob, guest), letter(3, alice, bob)])
      expect(await messages.put(message, limits)).toBe(true)
    expect(await messages.waiting(bob.id)).toEqual([letter(1, bob, guest), letter(2)])
    await messages.remove(['m1', 'nothing'])
    expect(await messages.waiting(bob.id)).toEqual([letter(2)])
    expect(await messages.waiting(alice.id)).toEqual([letter(3, alice, bob)])
    expect(await messages.waiting(guest.id)).toEqual([])
  })

  test('only so many wait from one sender, for one person, and in all; old ones give way', async () => {
    await register(store(), alice, bob)
    const { messages } = store().talk
    const put = (n: number, to: Person, from: Person, notBefore = 0): Promise<boolean> =>
      messages.put(letter(n, to, from), { ...limits, notBefore })
    expect(await Promise.all([1, 2, 3].map((n) => put(n, bob, alice)))).toEqual([true, true, false])
    expect(await put(4, bob, guest)).toBe(true)
    expect(await put(5, bob, bob)).toBe(false)
    expect(await put(6, alice, bob)).toBe(true)
    expect(await put(7, alice, guest)).toBe(false)
    expect(await put(8, alice, guest, 2)).toBe(true)
    expect((await messages.waiting(bob.id)).map(({ id }) => id)).toEqual(['m2', 'm4'])
  })

  test('a message to nobody who is registered is refused', async () => {
    await refused(store().talk.messages.put(letter(1), limits))
  })

  test('whom somebody ignores is kept once, under the name of now and of then', async () => {
    await register(store(), alice, bob)
    const { ignored } = store().talk
    await ignored.add(alice.id, { id: bob.id, name: 'bobby' })
    await ignored.add(alice.id, { id: bob.id, name: 'again' })
    await ignored.add(alice.id, guest)
    expect(await ignored.ignoredBy(alice.id)).toEqual([
      { id: bob.id, name: 'Bob', nameThen: 'bobby' },
      { id: guest.id, name: 'eve-2', nameThen: 'eve-2' },
    ])
    await ignored.remove(alice.id, guest.id)
    await ignored.remove(bob.id, alice.id)
    expect((await ignored.ignoredBy(alice.id)).map(({ name }) => name)).toEqual(['Bob'])
    expect(await ignored.ignoredBy(bob.id)).toEqual([])
    await refused(ignored.add(guest.id, bob))
  })
}
