import { expect, test } from 'vitest'
import type { Entry } from '../../../../src/chat/entry.ts'
import type { Person, PersonId } from '../../../../src/chat/people/person.ts'
import { createIgnores } from '../../../../src/chat/talk/ignores.ts'
import { createChatParts } from '../../../support/chat-parts.ts'

const entry = (facts: object): Entry => ({ kind: 'message', author: 'ann', text: 'x', ...facts }) as Entry

test('what somebody who is ignored says is not heard; what a room must know is', async () => {
  const { storage, person } = await createChatParts()
  const [ann, bob] = await Promise.all([person('ann'), person('bob')])
  const ignores = createIgnores(storage.talk.ignored)
  const [one, two] = [await ignores.open(bob), await ignores.open(bob)]
  await ignores.add(bob, ann)
  for (const { hears } of [one, two]) {
    const unheard = [{}, { edits: 'i' }, { kind: 'action' }, { kind: 'notice', retracts: 'i' }]
    expect(unheard.map((facts) => hears(entry(facts)))).toEqual([false, false, false, false])
    const heard = [{ author: 'annie' }, { kind: 'notice' }, { kind: 'approval' }, { kind: 'presence' }]
    expect(heard.map((facts) => hears(entry(facts)))).toEqual([true, true, true, true])
  }
  one.close()
  await ignores.remove(bob, ann.id)
  expect(two.hears(entry({}))).toBe(true)
  expect(two.hearsFrom(ann.id)).toBe(true)
})

test('a list outlives the session, but for that of a guest', async () => {
  const { storage, person } = await createChatParts()
  const [ann, bob] = await Promise.all([person('ann'), person('bob')])
  const guest: Person = { id: 'guest:k:eve-2' as PersonId, name: 'eve-2', admin: false, guest: true }
  const ignores = createIgnores(storage.talk.ignored)
  await ignores.add(bob, ann)
  await ignores.add(bob, guest)
  expect((await createIgnores(storage.talk.ignored).list(bob)).map(({ name }) => name)).toEqual([
    'ann',
    'eve-2',
  ])
  await expect(ignores.add(guest, ann)).rejects.toThrow(/only in a session/)
  const session = await ignores.open(guest)
  await ignores.add(guest, ann)
  expect(session.hearsFrom(ann.id)).toBe(false)
  session.close()
  expect(await ignores.list(guest)).toEqual([])
})

test('nobody ignores themself, or more than 200 people', async () => {
  const { storage, person } = await createChatParts()
  const bob = await person('bob')
  const ignores = createIgnores(storage.talk.ignored)
  await expect(ignores.add(bob, bob)).rejects.toThrow('you cannot ignore yourself')
  const other = (n: number): Person => ({ ...bob, id: `p${n}` as PersonId, name: `n${n}` })
  for (let n = 0; n < 200; n += 1) await ignores.add(bob, other(n))
  await expect(ignores.add(bob, other(200))).rejects.toThrow(/which is the limit/)
})
