import { expect, test } from 'vitest'
import { Away } from '../../../../src/chat/talk/away.ts'
import { createChatParts, screenOf } from '../../../support/chat-parts.ts'

async function createScene() {
  const { rooms, person, storage, peers, clock, log } = await createChatParts()
  const open = async () => {
    const away = new Away(storage.talk.away, clock, log, peers)
    await away.readAgain()
    return away
  }
  const room = await rooms.lobby()
  const [ann, bob, cat] = await Promise.all([person('ann'), person('Böb'), person('cat')])
  const screen = screenOf(ann)
  await room.enter(screen)
  await room.enter(screenOf(bob))
  screen.seen.length = 0
  return { away: await open(), open, room, ann, bob, cat, screen }
}

test('who mentions somebody who is away is told once for each absence, and nobody else is', async () => {
  const { away, room, ann, bob, screen } = await createScene()
  await away.leave(bob, ' at\nlunch \u0007')
  for (const text of ['hi @BÖB.', 'bob@Böb.org', '@Böbby', 'hi @böb']) away.heard(room, ann, text)
  expect(screen.texts()).toEqual(['Böb is away: at lunch'])
  await away.leave(bob, '')
  away.heard(room, ann, '@böb?')
  expect(screen.texts()).toEqual(['Böb is away: at lunch', 'Böb is away'])
  expect(await room.history({ limit: 9, kinds: ['notice'] })).toEqual([])
})

test('who is not in the room, or says it themself, gives nothing away', async () => {
  const { away, room, ann, cat, screen } = await createScene()
  await away.leave(ann, '')
  away.heard(room, ann, 'I am @ann')
  away.heard(room, ann, 'here @ann')
  expect(screen.texts()).toEqual(['you are not away any more'])
  await away.leave(cat, '')
  away.heard(room, ann, '@cat')
  expect(screen.texts()).toHaveLength(1)
  await expect(away.leave(ann, 'x'.repeat(201))).rejects.toThrow(/200 characters/)
  expect(away.textOf(ann.id)).toBeUndefined()
})

test('who is away is so after a restart, until they speak; a guest is not', async () => {
  const { away, open, room, ann, bob, cat } = await createScene()
  const guest = { ...cat, id: 'guest:k:cat-2' as typeof cat.id, guest: true }
  for (const person of [ann, bob, guest]) await away.leave(person, `${person.name} sleeps`)
  away.heard(room, ann, 'hello')
  await away.leave(bob, 'lunch')
  const later = await open()
  expect([ann, bob, guest].map(({ id }) => later.textOf(id))).toEqual([undefined, 'lunch', undefined])
  expect(later.comeBack(bob.id)).toBe(true)
  await later.leave(ann, '')
  expect((await open()).textOf(bob.id)).toBeUndefined()
})
