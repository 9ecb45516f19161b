import { expect, test } from 'vitest'
import { createAway } from '../../../../src/chat/talk/away.ts'
import { createChatParts, screenOf } from '../../../support/chat-parts.ts'

async function createScene() {
  const { rooms, person } = await createChatParts()
  const room = await rooms.lobby()
  const [ann, bob] = await Promise.all([person('ann'), person('Böb')])
  const screen = screenOf(ann)
  await room.enter(screen)
  await room.enter(screenOf(bob))
  screen.seen.length = 0
  return { away: createAway(), room, ann, bob, screen }
}

test('who mentions somebody who is away is told once for each absence, and nobody else is', async () => {
  const { away, room, ann, bob, screen } = await createScene()
  away.leave(bob, ' at\nlunch \u0007')
  for (const text of ['hi @BÖB.', 'bob@Böb.org', '@Böbby', 'hi @böb']) away.heard(room, ann, text)
  expect(screen.texts()).toEqual(['Böb is away: at lunch'])
  away.leave(bob, '')
  away.heard(room, ann, '@böb?')
  expect(screen.texts()).toEqual(['Böb is away: at lunch', 'Böb is away'])
  expect(await room.history({ limit: 9, kinds: ['notice'] })).toEqual([])
})

test('who is not in the room, or says it themself, gives nothing away', async () => {
  const { away, room, ann, bob, screen } = await createScene()
  away.leave(ann, '')
  away.heard(room, ann, 'I am @ann')
  away.heard(room, ann, 'here @ann')
  expect(screen.texts()).toEqual(['you are not away any more'])
  away.leave({ ...bob, id: 'elsewhere' as typeof bob.id }, '')
  away.heard(room, ann, '@böb')
  expect(screen.texts()).toHaveLength(1)
  expect(() => away.leave(ann, 'x'.repeat(201))).toThrow(/200 characters/)
  expect(away.textOf(ann.id)).toBeUndefined()
})
