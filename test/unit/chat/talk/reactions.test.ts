import { expect, test } from 'vitest'
import type { Entry } from '../../../../src/chat/entry.ts'
import { EMOJI_NAMES } from '../../../../src/chat/talk/emoji-names.ts'
import { createChatParts } from '../../../support/chat-parts.ts'
import { talkOver } from '../../../support/talk.ts'

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

test('a reaction names the last line that somebody said, or the one that was asked for', async () => {
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

test('the same emoji again takes the reaction back, also at the same time', async () => {
  const { reactions, room, bob, say, read } = await createScene()
  await say('ann', 'one')
  await Promise.all([reactions.react(room, bob, '👍'), reactions.react(room, bob, '👍')])
  expect((await read(true)).map(({ text }) => text)).toEqual(['one', 'bob took back 👍'])
  expect((await read()).at(-1)).toMatchObject({ kind: 'notice', retracts: (await read())[1]?.id })
  await reactions.react(room, bob, '👍')
  expect((await read(true)).at(-1)).toMatchObject({ text: '👍' })
})

test('one person puts three emoji on a line, and somebody else as many', async () => {
  const { reactions, room, ann, bob, say } = await createScene()
  await say('ann', 'one')
  for (const emoji of ['👍', '❤', '🎉']) for (const who of [ann, bob]) await reactions.react(room, who, emoji)
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
])('%j is no reaction', async (emoji) => {
  const { reactions, room, bob, say, read } = await createScene()
  await say('ann', 'one')
  const attempt = reactions.react(room, bob, emoji)
  if (emoji === '👍\u202e') await attempt
  else await expect(attempt).rejects.toThrow('a reaction is one emoji, such as 👍')
  expect((await read()).slice(1).map(({ text }) => text)).toEqual(emoji === '👍\u202e' ? ['👍'] : [])
})

test.each(['+1', ':+1:', 'thumbsup', ':ThumbsUp:'])('%s names an emoji', async (name) => {
  const { reactions, room, bob, say, read } = await createScene()
  await say('ann', 'one')
  await reactions.react(room, bob, name)
  expect((await read()).at(-1)).toMatchObject({ text: '👍' })
})

test('each emoji that has a name can be a reaction, and no name has two', async () => {
  const { reactions, room, bob, say } = await createScene()
  for (const name of EMOJI_NAMES) {
    await say('ann', name)
    await reactions.react(room, bob, name)
  }
  expect(new Set(EMOJI_NAMES).size).toBe(EMOJI_NAMES.length)
})

test('nothing that was taken back, is no line, is elsewhere or is unknown can be reacted to', async () => {
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
