import { expect, test } from 'vitest'
import type { Entry } from '../../../../src/chat/entry.ts'
import type { Person, PersonId } from '../../../../src/chat/people/person.ts'
import { createChatParts } from '../../../support/chat-parts.ts'
import { talkOver } from '../../../support/talk.ts'

const TAKEN_BACK = 'ann: ann took back their line of a moment ago'

async function createScene(answering?: () => string | undefined) {
  const chatParts = await createChatParts()
  const room = await chatParts.rooms.lobby()
  const talk = await talkOver(
    chatParts,
    answering && { answering, forget: async (_room, _entry, record) => void (await record()) },
  )
  const [ann, bob] = await Promise.all([chatParts.person('ann'), chatParts.person('bob')])
  const say = (author: string, text: string, kind: 'message' | 'action' = 'message') =>
    room.record({ kind, author, text })
  const read = async (revised: boolean): Promise<readonly Entry[]> =>
    await room.history({ limit: 99, ...(revised ? { revised } : {}) })
  const lines = async (revised: boolean): Promise<readonly string[]> =>
    (await read(revised)).map(({ author, text }) => `${author}: ${text}`)
  return { ...chatParts, own: talk.lines, reactions: talk.reactions, room, ann, bob, say, read, lines }
}

test('an edit is a message of its own that names the first version, whichever edit it is', async () => {
  const { own, room, ann, say, read } = await createScene()
  const first = await say('ann', 'one')
  await say('bob', 'two')
  await own.edit(room, ann, '\u001b[1mthree\n')
  await own.edit(room, ann, 'four')
  const log = await read(false)
  expect(log.slice(2)).toMatchObject([
    { kind: 'message', author: 'ann', text: 'three', edits: first.id },
    { kind: 'message', author: 'ann', text: 'four', edits: first.id },
  ])
  expect((await read(true)).map(({ text }) => text)).toEqual(['four', 'two'])
})

test('retracting again takes back the line before it', async () => {
  const { own, room, ann, say, lines } = await createScene()
  await say('ann', 'one')
  await say('ann', 'waves', 'action')
  await own.edit(room, ann, 'no').catch(() => undefined)
  await own.retract(room, ann)
  await own.retract(room, ann)
  expect(await lines(true)).toEqual([TAKEN_BACK, TAKEN_BACK])
  expect(await lines(false)).toHaveLength(4)
  await expect(own.retract(room, ann)).rejects.toThrow(/^too late: only your line of the last 15 minutes/)
})

test('what was done, what is as it was, what is empty, and what is too long is not edited', async () => {
  const { own, room, ann, say, lines } = await createScene()
  await say('ann', 'one')
  for (const text of ['one', '', '\u200b', 'x'.repeat(101)])
    await expect(own.edit(room, ann, text)).rejects.toThrow(/already|nothing to say|are allowed/)
  await say('ann', 'waves', 'action')
  await expect(own.edit(room, ann, 'two')).rejects.toThrow(/\/retract it, and say it anew with \/me/)
  expect(await lines(false)).toHaveLength(2)
})

test("others' lines, lines of other rooms, reactions and old lines are not one's own", async () => {
  const { own, rooms, reactions, room, ann, bob, say, clock } = await createScene()
  await say('bob', 'one')
  await reactions.react(room, ann, '👍')
  const hall = await rooms.create('hall', ann, { private: false })
  await hall.record({ kind: 'message', author: 'ann', text: 'in the hall' })
  for (const attempt of [() => own.retract(room, ann), () => own.edit(room, ann, 'x')])
    await expect(attempt()).rejects.toThrow(/^too late: only your line of the last 15 minutes/)
  clock.advance(15 * 60_000 + 1)
  await expect(own.retract(room, bob)).rejects.toThrow(/^too late/)
})

test('a line behind 300 others is out of reach', async () => {
  const { own, room, ann, say } = await createScene()
  await say('ann', 'one')
  for (let n = 0; n < 299; n += 1) await say('bob', 'more')
  await own.edit(room, ann, 'two')
  await say('bob', 'more')
  await expect(own.edit(room, ann, 'three')).rejects.toThrow(/at most 300 lines since/)
})

test('a guest does not change what another guest of that name said before the server started', async () => {
  const chatParts = await createChatParts()
  const room = await chatParts.rooms.lobby()
  const guest: Person = { id: 'guest:k:eve-2' as PersonId, name: 'eve-2', admin: false, guest: true }
  await room.record({ kind: 'message', author: 'eve-2', text: 'before' })
  chatParts.clock.advance(1000)
  const { lines } = await talkOver(chatParts)
  await expect(lines.retract(room, guest)).rejects.toThrow(/^too late/)
  await room.record({ kind: 'message', author: 'eve-2', text: 'now' })
  await lines.retract(room, guest)
})

test('a line that a model is at work on stays as it is', async () => {
  let model: string | undefined = 'qwen'
  const { own, room, ann, say } = await createScene(() => model)
  await say('ann', '@qwen one')
  await expect(own.retract(room, ann)).rejects.toThrow(/^@qwen is at work on that line; stop it, or wait/)
  model = undefined
  await own.retract(room, ann)
})

test('of two attempts at the same time each changes a line of its own', async () => {
  const { own, room, ann, say, lines } = await createScene()
  for (const text of ['one', 'two', 'three']) await say('ann', text)
  await Promise.all([own.retract(room, ann), own.retract(room, ann)])
  expect(await lines(true)).toEqual(['ann: one', TAKEN_BACK, TAKEN_BACK])
})
