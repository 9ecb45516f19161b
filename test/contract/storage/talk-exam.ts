import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import type { Fingerprint, Person, PersonId } from '../../../src/words/person.ts'
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

/** What a store of messages to one person, and of who ignores whom, must do; `store` gives that of the running test. */
export function talkExam(store: () => Storage): void {
  const keysOf = (person: Person) => store().chat.people.keysOf(person.id)
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

  test('waiting messages are limited per sender, per recipient and in total, without expired ones', async () => {
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

  test('senders with one key share a limit, and the key stays with the message', async () => {
    await register(store(), alice, bob)
    const { messages } = store().talk
    const key = 'SHA256:k' as Fingerprint
    const from = (n: number, sender: Person): DirectMessage => ({
      ...letter(n, bob, sender),
      from: { id: sender.id, name: sender.name, guest: sender.guest, key },
    })
    expect(await messages.put(from(1, alice), limits)).toBe(true)
    expect(await messages.put(from(2, guest), limits)).toBe(true)
    expect(await messages.put(from(3, { ...guest, id: 'guest:k:x' as PersonId }), limits)).toBe(false)
    expect(await messages.put(letter(4, bob, bob), limits)).toBe(true)
    expect(await messages.waiting(bob.id)).toEqual([from(1, alice), from(2, guest), letter(4, bob, bob)])
  })

  test('a message to an unregistered person is refused', async () => {
    await refused(store().talk.messages.put(letter(1), limits))
  })

  test('an ignored person is stored once, with the current and the former name', async () => {
    await register(store(), alice, bob)
    const { ignored } = store().talk
    await ignored.add(alice.id, { id: bob.id, name: 'bobby' })
    await ignored.add(alice.id, { id: bob.id, name: 'again' })
    await ignored.add(alice.id, guest, 'SHA256:k' as Fingerprint)
    const hasKeyToo = { id: alice.id, name: alice.name }
    expect(await ignored.ignoredBy(alice.id)).toEqual([
      { id: bob.id, name: 'Bob', nameThen: 'bobby', keys: await keysOf(bob), sameKey: [hasKeyToo] },
      { id: guest.id, name: 'eve-2', nameThen: 'eve-2', keys: ['SHA256:k'], sameKey: [] },
    ])
    await ignored.remove(alice.id, guest.id)
    await ignored.remove(bob.id, alice.id)
    expect((await ignored.ignoredBy(alice.id)).map(({ name }) => name)).toEqual(['Bob'])
    expect(await ignored.ignoredBy(bob.id)).toEqual([])
    await refused(ignored.add(guest.id, bob))
  })

  test('ignoring a person covers all people with one of their keys', async () => {
    await register(store(), alice, bob)
    const { ignored } = store().talk
    const [key] = await keysOf(bob)
    const other: Person = { ...bob, id: 'bob-again' as PersonId, name: 'again' }
    expect(await store().chat.people.register(other, 'again', key, 1)).toBe(true)
    await ignored.add(alice.id, bob, key)
    const namesOf = async (): Promise<readonly string[]> =>
      (await ignored.ignoredBy(alice.id)).flatMap(({ sameKey }) => sameKey.map(({ name }) => name)).toSorted()
    expect(await namesOf()).toEqual([alice.name, 'again'].toSorted())
    await ignored.remove(alice.id, bob.id)
    await ignored.add(alice.id, guest, key)
    expect(await namesOf()).toEqual([alice.name, bob.name, 'again'].toSorted())
    expect(await ignored.ignoredBy(alice.id)).toMatchObject([{ id: guest.id, keys: [key] }])
  })

  test('an away person is stored until they return, ordered by the time of leaving', async () => {
    await register(store(), alice, bob)
    const { away } = store().talk
    await away.leave({ person: alice.id, text: '' }, 1)
    await away.leave({ person: bob.id, text: 'lunch' }, 2)
    await away.leave({ person: alice.id, text: 'gone' }, 3)
    expect(await away.away()).toEqual([
      { person: bob.id, text: 'lunch' },
      { person: alice.id, text: 'gone' },
    ])
    await away.comeBack(bob.id)
    await away.comeBack(guest.id)
    expect(await away.away()).toEqual([{ person: alice.id, text: 'gone' }])
    await refused(away.leave({ person: guest.id, text: '' }, 4))
  })
}
