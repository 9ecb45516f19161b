import { expect, test, describe } from 'vitest'
import type { Entry } from '../../../src/words/entry.ts'
import type { Person, PersonId } from '../../../src/words/person.ts'
import { createChatParts } from '../../support/chat-parts.ts'
import { talkOver } from '../../support/talk.ts'
import { EMOJI_NAMES } from '../../../src/chat/talk/emoji-names.ts'
import { revise } from '../../../src/chat/talk/own-lines.ts'

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

test('an edit is a new message that refers to the first version, even after earlier edits', async () => {
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

test('a second /retract removes the line before the first one', async () => {
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

test('an edit of an action and an unchanged, empty or too long edit are refused', async () => {
  const { own, room, ann, say, lines } = await createScene()
  await say('ann', 'one')
  for (const text of ['one', '', '\u200b', 'x'.repeat(101)])
    await expect(own.edit(room, ann, text)).rejects.toThrow(/already|nothing to say|are allowed/)
  await say('ann', 'waves', 'action')
  await expect(own.edit(room, ann, 'two')).rejects.toThrow(/\/retract it, and write it again with \/me/)
  expect(await lines(false)).toHaveLength(2)
})

test("a line that a routine posted does not count as the last line of the routine's owner", async () => {
  const { own, room, ann, say, lines } = await createScene()
  await say('ann', 'one')
  await room.record({ kind: 'message', author: 'ann', by: ann.id, text: 'tea', routine: 3 })
  await own.edit(room, ann, 'two')
  expect(await lines(true)).toEqual(['ann: two', 'ann: tea'])
})

test("a person cannot edit or retract others' lines, reactions, other rooms' lines or old lines", async () => {
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

test('a line with 300 later lines cannot be edited any more', async () => {
  const { own, room, ann, say } = await createScene()
  await say('ann', 'one')
  for (let n = 0; n < 299; n += 1) await say('bob', 'more')
  await own.edit(room, ann, 'two')
  await say('bob', 'more')
  await expect(own.edit(room, ann, 'three')).rejects.toThrow(/at most 300 lines since/)
})

test('a guest cannot retract lines that a guest of the same name wrote before the server started', async () => {
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

test('a line cannot be retracted while a model answers it', async () => {
  let model: string | undefined = 'qwen'
  const { own, room, ann, say } = await createScene(() => model)
  await say('ann', '@qwen one')
  await expect(own.retract(room, ann)).rejects.toThrow(/^@qwen is at work on that line; stop it, or wait/)
  model = undefined
  await own.retract(room, ann)
})

test('two simultaneous retractions remove two different lines', async () => {
  const { own, room, ann, say, lines } = await createScene()
  for (const text of ['one', 'two', 'three']) await say('ann', text)
  await Promise.all([own.retract(room, ann), own.retract(room, ann)])
  expect(await lines(true)).toEqual(['ann: one', TAKEN_BACK, TAKEN_BACK])
})

describe('reactions', () => {
  async function createScene() {
    const chatParts = await createChatParts()
    const { reactions, lines } = await talkOver(chatParts)
    const room = await chatParts.rooms.lobby()
    const [ann, bob] = await Promise.all([chatParts.person('ann'), chatParts.person('bob')])
    const say = (author: string, text: string) => room.record({ kind: 'message', author, text })
    const read = async (revised = false): Promise<readonly Entry[]> =>
      await room.history({ limit: 99, ...(revised ? { revised } : {}) })
    return { reactions, lines, room, ann, bob, say, read }
  }

  test('a reaction refers to the latest line, or to the given line', async () => {
    const { reactions, lines, room, ann, bob, say, read } = await createScene()
    const first = await say('ann', 'one')
    const second = await say('ann', 'two')
    await room.record({ kind: 'notice', level: 'info', author: 'ann', text: 'a notice' })
    await reactions.react(room, bob, '👍')
    await reactions.react(room, ann, '🏳️‍🌈', first.id)
    await lines.edit(room, ann, 'two, mended')
    const edit = (await read()).at(-1)!
    await reactions.react(room, bob, '🎉', edit.id)
    expect((await read()).filter(({ kind }) => kind === 'action')).toMatchObject([
      { author: 'bob', text: '👍', reacts: second.id, to: 'ann' },
      { author: 'ann', text: '🏳️‍🌈', reacts: first.id },
      { author: 'bob', text: '🎉', reacts: second.id },
    ])
  })

  test('the same emoji given again removes the reaction, even at the same time', async () => {
    const { reactions, room, bob, say, read } = await createScene()
    await say('ann', 'one')
    await Promise.all([reactions.react(room, bob, '👍'), reactions.react(room, bob, '👍')])
    expect((await read(true)).map(({ text }) => text)).toEqual(['one', 'bob took back 👍'])
    expect((await read()).at(-1)).toMatchObject({ kind: 'notice', retracts: (await read())[1]?.id })
    await reactions.react(room, bob, '👍')
    expect((await read(true)).at(-1)).toMatchObject({ text: '👍' })
  })

  test('a person can put at most three emoji on one line', async () => {
    const { reactions, room, ann, bob, say } = await createScene()
    await say('ann', 'one')
    for (const emoji of ['👍', '❤', '🎉'])
      for (const who of [ann, bob]) await reactions.react(room, who, emoji)
    await expect(reactions.react(room, bob, '👀')).rejects.toThrow(/^you have 3 reactions on that line/)
  })

  test.each([
    '',
    'thumbs',
    '👍👍',
    '👍 x',
    '1',
    '\u200b',
    ':nothing:',
    '+1 +1',
    '👍\u202e',
    '\u001b[1m',
    '👍'.repeat(999),
  ])('the text %j is accepted as a reaction only if it is a single emoji', async (emoji) => {
    const { reactions, room, bob, say, read } = await createScene()
    await say('ann', 'one')
    const attempt = reactions.react(room, bob, emoji)
    if (emoji === '👍\u202e') await attempt
    else await expect(attempt).rejects.toThrow('a reaction is one emoji, such as 👍')
    expect((await read()).slice(1).map(({ text }) => text)).toEqual(emoji === '👍\u202e' ? ['👍'] : [])
  })

  test.each(['+1', ':+1:', 'thumbsup', ':ThumbsUp:'])('the name %s is accepted as an emoji', async (name) => {
    const { reactions, room, bob, say, read } = await createScene()
    await say('ann', 'one')
    await reactions.react(room, bob, name)
    expect((await read()).at(-1)).toMatchObject({ text: '👍' })
  })

  test('every emoji name is unique and accepted as a reaction', async () => {
    const { reactions, room, bob, say } = await createScene()
    for (const name of EMOJI_NAMES) {
      await say('ann', name)
      await reactions.react(room, bob, name)
    }
    expect(new Set(EMOJI_NAMES).size).toBe(EMOJI_NAMES.length)
  })

  test('a reaction to a retracted, missing or unknown line is refused', async () => {
    const { reactions, lines, room, ann, bob, say, read } = await createScene()
    await expect(reactions.react(room, bob, '👍')).rejects.toThrow(/nothing was said here/)
    const line = await say('ann', 'one')
    await reactions.react(room, bob, '👍')
    const reaction = (await read()).at(-1)!
    await lines.retract(room, ann)
    for (const id of [line.id, reaction.id, 'nothing', '__proto__', 'x'.repeat(999)])
      await expect(reactions.react(room, bob, '🎉', id)).rejects.toThrow(
        /^there is no line .{0,40} among the newest 300/,
      )
    await expect(reactions.react(room, bob, '🎉')).rejects.toThrow(/nothing was said here/)
  })
})

test('a log revised entry by entry equals the log that the store revised', async () => {
  const { rooms } = await createChatParts()
  const room = await rooms.lobby()
  const one = await room.record({ kind: 'message', author: 'ann', text: 'one' })
  const two = await room.record({ kind: 'action', author: 'ann', text: 'waves' })
  const edit = { kind: 'message', author: 'ann', edits: one.id } as const
  await room.record({ ...edit, text: 'two' })
  await room.record({ ...edit, text: 'three' })
  const notice = { kind: 'notice', level: 'info', author: 'ann', text: 'back' } as const
  await room.record({ kind: 'action', author: 'bob', text: '👍', reacts: two.id, to: 'ann' })
  await room.record({ ...notice, retracts: two.id })
  const whole = await room.history({ limit: 99 })
  const empty: readonly Entry[] = []
  expect(whole.reduce(revise, empty)).toEqual(await room.history({ limit: 99, revised: true }))
  await room.record({ ...notice, retracts: one.id })
  await room.record({ ...edit, text: 'four' })
  const later = await room.history({ limit: 99 })
  expect(later.reduce(revise, empty)).toEqual(await room.history({ limit: 99, revised: true }))
  expect(later.reduce(revise, empty)).toHaveLength(2)
})
