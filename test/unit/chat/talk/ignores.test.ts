import { expect, test } from 'vitest'
import type { Entry } from '../../../../src/chat/entry.ts'
import type { Fingerprint, Person, PersonId } from '../../../../src/chat/people/person.ts'
import { Ignores } from '../../../../src/chat/talk/ignores.ts'
import { createChatParts } from '../../../support/chat-parts.ts'

const entry = (facts: object): Entry => ({ kind: 'message', author: 'ann', text: 'x', ...facts }) as Entry

test('what somebody who is ignored says is not heard; what a room must know is', async () => {
  const { storage, person } = await createChatParts()
  const [ann, bob] = await Promise.all([person('ann'), person('bob')])
  const ignores = new Ignores(storage.talk.ignored)
  const [one, two] = [await ignores.open(bob), await ignores.open(bob)]
  await ignores.add(bob, ann)
  for (const { shows } of [one, two]) {
    const unheard = [{}, { edits: 'i' }, { kind: 'action' }, { kind: 'notice', retracts: 'i' }]
    const runs = [{ kind: 'tool_call' }, { kind: 'tool_result', by: ann.id, author: 'before' }]
    const question = { kind: 'approval', verdict: 'asked', answerers: ['ann', 'root'] }
    expect([...unheard, ...runs, question].filter((facts) => shows(entry(facts)))).toEqual([])
    const heard = [
      ...[{ author: 'annie' }, { kind: 'notice' }, { kind: 'approval' }, { kind: 'presence' }],
      ...[{ kind: 'tool_call', turn: 't' }, { kind: 'tool_call', author: 'annie' }, { kind: 'scope' }],
      ...[
        { ...question, answerers: ['ann', 'bob'] },
        { ...question, turn: 't' },
        { ...question, verdict: 'once' },
      ],
    ]
    expect(heard.filter((facts) => !shows(entry(facts)))).toEqual([])
  }
  one.close()
  await ignores.remove(bob, ann.id)
  expect(two.shows(entry({}))).toBe(true)
  expect(two.acceptsFrom(ann)).toBe(true)
})

test('a list outlives the session, but for that of a guest', async () => {
  const { storage, person } = await createChatParts()
  const [ann, bob] = await Promise.all([person('ann'), person('bob')])
  const guest: Person = { id: 'guest:k:eve-2' as PersonId, name: 'eve-2', admin: false, guest: true }
  const ignores = new Ignores(storage.talk.ignored)
  await ignores.add(bob, ann)
  await ignores.add(bob, guest)
  expect((await new Ignores(storage.talk.ignored).list(bob)).map(({ name }) => name)).toEqual([
    'ann',
    'eve-2',
  ])
  await expect(ignores.add(guest, ann)).rejects.toThrow(/only in a session/)
  const session = await ignores.open(guest)
  await ignores.add(guest, ann)
  expect(session.acceptsFrom(ann)).toBe(false)
  session.close()
  expect(await ignores.list(guest)).toEqual([])
})

test('nobody ignores themself, or more than 200 people', async () => {
  const { storage, person } = await createChatParts()
  const bob = await person('bob')
  const ignores = new Ignores(storage.talk.ignored)
  await expect(ignores.add(bob, bob)).rejects.toThrow('you cannot ignore yourself')
  const other = (n: number): Person => ({ ...bob, id: `p${n}` as PersonId, name: `n${n}` })
  for (let n = 0; n < 200; n += 1) await ignores.add(bob, other(n))
  await expect(ignores.add(bob, other(200))).rejects.toThrow(/which is the limit/)
})

test('a person is ignored under all names of their key, also those that come later, and not after that', async () => {
  const { storage, person } = await createChatParts()
  const [ann, bob] = await Promise.all([person('ann'), person('bob')])
  const ignores = new Ignores(storage.talk.ignored)
  const key = 'SHA256:k' as Fingerprint
  const hearing = await ignores.open(bob)
  const ids = ['late', `guest:${key}:eve-2`, `guest:SHA256:other:eve-3`].map((id) => id as PersonId)
  const heard = () =>
    [ann.id, ...ids].map((id) => [
      hearing.shows(entry({ author: 'renamed', by: id })),
      hearing.acceptsFrom({ id }),
    ])
  await ignores.add(bob, ann)
  ignores.onLogin(ann, key)
  ignores.onLogin({ id: ids[0]!, name: 'late' }, key)
  ignores.onLogin({ id: ids[2]!, name: 'eve-3' }, 'SHA256:other' as Fingerprint)
  expect(heard()).toEqual([
    [false, false],
    [false, false],
    [false, false],
    [true, true],
  ])
  expect(hearing.acceptsFrom({ id: 'x' as PersonId, key })).toBe(false)
  expect(hearing.shows(entry({ by: bob.id }))).toBe(true)
  expect(await ignores.isIgnored(bob, { ...ann, login: { key, network: '' } })).toBe(true)
  expect(await ignores.isIgnored(ann, bob)).toBe(false)
  await ignores.remove(bob, ann.id)
  expect(heard().flat()).toEqual(Array(8).fill(true))
})
