import { expect, test } from 'vitest'
import { screenOf } from '../../../support/chat-parts.ts'
import {
  createCommandWorld,
  done,
  jsonOf,
  misused,
  refused,
} from '../../../support/commands/command-world.ts'

const EMPTY = 'there is nothing to say: the message is empty'
const TOO_LONG = 'the message has 101 characters and 100 are allowed; nothing was sent'

test('/say posts a text unchanged, including spaces, quotes and flags', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'say  two  "spaces" --json')).toEqual(done())
  expect(await world.texts('hall')).toEqual(['two  "spaces" --json'])
})

test('/say posts piped text if the line has no text or only -', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.bob, 'say hall', 'one\n')).toEqual(done())
  expect(await world.exec(world.bob, 'say hall -', 'two\nlines')).toEqual(done())
  expect(await world.exec(world.bob, 'say hall on the line', 'three')).toEqual(done())
  expect(await world.texts('hall', 3)).toEqual(['one', 'two\nlines', 'on the line'])
})

test('/say calls the models that the message mentions', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.bob, 'say hall @qwen tools, and you @nobody')
  const [turn] = world.turnWorld.turns.running(
    (await world.turnWorld.chatParts.rooms.get('hall', world.ann)).name,
  )
  expect(turn).toMatchObject({ model: 'qwen', requester: 'bob' })
  await turn?.ended()
})

test.each([
  ['say', EMPTY],
  ['say \u0000\u200b', EMPTY],
  [`say ${'é'.repeat(101)}`, TOO_LONG],
  [`say ${'a\n'.repeat(11)}b`, 'the message has 12 lines and 10 are allowed; nothing was sent'],
])('the line %j is refused and posts nothing', async (line, sentence) => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, line)).toEqual(refused(sentence))
  expect(await world.texts('hall')).toEqual([])
})

test('/me posts an action of its caller', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'me waves')).toEqual(done())
  expect(await world.type(world.ann, 'history -n 1')).toEqual(done('2026-01-01 00:00 * bob waves'))
})

test('/me refuses a missing, invisible or too long text', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'me')).toEqual(misused('me: TEXT is missing', '/me TEXT…'))
  expect(await world.type(world.bob, 'me \u200b')).toEqual(refused(EMPTY))
  expect(await world.exec(world.bob, `me hall ${'x'.repeat(101)}`)).toEqual(refused(TOO_LONG))
  expect(await world.texts('hall')).toEqual([])
})

test('/msg writes to one person and posts nothing in the room', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.ann, 'msg BOB  two  words')).toEqual(done('you -> bob: two  words'))
  // A session shows it as all sessions of its person do.
  expect(await world.type(world.ann, 'w bob again')).toEqual(done())
  expect(await world.texts('hall', 9)).toEqual([])
  expect(await world.type(world.ann, 'msg bob')).toEqual(misused('msg: TEXT is missing', '/msg NAME TEXT…'))
  expect(await world.type(world.ann, 'msg nobody hi')).toMatchObject({ status: 1, out: [] })
})

test('/msg says once that the recipient is away, and ends the absence of the sender', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.bob, 'away lunch')
  await world.exec(world.ann, 'away')
  expect(await world.exec(world.ann, 'msg bob hi')).toEqual(
    done('you -> bob: hi', '-- bob is away: lunch', '-- you are not away any more'),
  )
  expect(await world.exec(world.ann, 'msg bob hi')).toEqual(done('you -> bob: hi'))
})

test('/reply in a script answers the last person who wrote', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.bob, 'reply hi')).toEqual(
    refused('nobody has written to you yet; msg NAME TEXT writes to somebody'),
  )
  await world.talk.openSession({ person: world.bob, print() {}, message() {}, bell() {} })
  await world.exec(world.ann, 'msg bob hi')
  expect(await world.exec(world.bob, 'reply hello you')).toEqual(done('you -> ann: hello you'))
})

test('/edit calls no model that the new text mentions', async () => {
  await using world = await createCommandWorld()
  const { rooms } = world.turnWorld.chatParts
  const hall = await rooms.get('hall', world.ann)
  await world.exec(world.ann, 'say hall hello')
  expect(await world.exec(world.ann, 'edit hall @qwen hello')).toEqual(done())
  expect(await world.exec(world.ann, 'edit hall s/hello/good night/')).toEqual(done())
  expect((await world.exec(world.ann, 'history hall -n 1')).out.join()).toMatch(/: @qwen good night$/)
  expect(await world.exec(world.ann, 'edit hall s/hello/hi/')).toEqual(
    refused('your last line has no "hello"; nothing was changed'),
  )
  expect(await world.exec(world.ann, 'edit hall s/good night/hello/g')).toEqual(done())
  expect(world.turnWorld.turns.running(hall.name)).toEqual([])
})

test('/retract without a recent own message is refused with the time limit', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'retract')).toEqual(
    refused('too late: only your line of the last 15 minutes can be changed, with at most 300 lines since'),
  )
  await world.exec(world.bob, 'say hall one')
  world.turnWorld.chatParts.clock.advance(15 * 60_000 + 1)
  expect(await world.type(world.bob, 'retract')).toMatchObject({ status: 1 })
})

const form = '/react EMOJI…'

test('/react adds an emoji to the last message or to the one with a given id', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'say hall one')
  expect(await world.type(world.bob, 'react 👍')).toEqual(done())
  const [line] = (await world.exec(world.bob, 'history hall --json')).out
  expect(await world.exec(world.bob, `react hall ${JSON.parse(line!).id} 🎉`)).toEqual(done())
  expect((await world.exec(world.bob, 'history hall')).out.map((one) => one.slice(17))).toEqual([
    'ann: one',
    '* bob reacted 👍 to ann',
    '* bob reacted 🎉 to ann',
  ])
})

test('/react is refused without an emoji, with extra words, and in an invisible room', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'react')).toMatchObject({ status: 2 })
  expect(await world.type(world.bob, 'react a b c')).toEqual(
    misused('react: it takes one emoji, and before it an id', form),
  )
  expect(await world.type(world.bob, 'react yes')).toEqual(
    refused('a reaction is one emoji, such as 👍, or the name of one, such as :tada:; Tab completes it'),
  )
  expect(await world.exec(world.bob, 'react den 👍')).toMatchObject({ status: 1 })
  expect(await world.texts('den')).toEqual([])
})

test('/away is shown by /who, until the person speaks', async () => {
  await using world = await createCommandWorld()
  const hall = await world.turnWorld.chatParts.rooms.get('hall', world.ann)
  for (const person of [world.ann, world.bob]) await hall.enter(screenOf(person))
  expect(await world.type(world.bob, 'away')).toEqual(done('you are away, until you say something'))
  await world.type(world.ann, 'away back at two')
  expect((await world.type(world.bob, 'who')).out[0]).toBe('ann (owner, away: back at two), bob (away)')
  expect(jsonOf(await world.exec(world.bob, 'who hall --json'))).toMatchObject({
    people: [
      { name: 'ann', away: 'back at two' },
      { name: 'bob', away: '' },
    ],
  })
  await world.exec(world.bob, 'say hall here')
  await world.exec(world.ann, 'me hall waves')
  expect((await world.type(world.bob, 'who')).out[0]).toBe('ann (owner), bob')
  expect(await world.type(world.bob, `away ${'x'.repeat(201)}`)).toMatchObject({ status: 1, out: [] })
})

test('/ignore lists, adds and removes people', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.ann, 'ignore')).toEqual(done('you ignore nobody'))
  expect(await world.exec(world.ann, 'ignore @BOB')).toEqual(
    done('you ignore bob now; the same again undoes it'),
  )
  await world.exec(world.ann, 'ignore root')
  expect(await world.exec(world.ann, 'ignore')).toEqual(done('bob, root'))
  expect(await world.exec(world.ann, 'ignore b0b')).toEqual(done('what bob says is shown again'))
  expect(await world.exec(world.ann, 'ignore')).toEqual(done('root'))
})

test('/ignore is refused for oneself and for unknown people', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.ann, 'ignore ann')).toEqual(refused('you cannot ignore yourself'))
  expect(await world.exec(world.ann, 'ignore qwen')).toEqual(
    refused('there is nobody called qwen; who lists the people of a room'),
  )
})
