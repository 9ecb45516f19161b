import { describe, expect, test } from 'vitest'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

const EMPTY = 'there is nothing to say: the message is empty'
const TOO_LONG = 'the message has 101 characters and 100 are allowed; nothing was sent'

describe('/say', () => {
  test('says a text as it is, spaces, quotes and flags included', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.bob, 'say  two  "spaces" --json')).toEqual(done())
    expect(await world.texts('hall')).toEqual(['two  "spaces" --json'])
  })

  test('says what was piped in where the line has no text, or a mere -', async () => {
    await using world = await createCommandWorld()
    expect(await world.exec(world.bob, 'say hall', 'one\n')).toEqual(done())
    expect(await world.exec(world.bob, 'say hall -', 'two\nlines')).toEqual(done())
    expect(await world.exec(world.bob, 'say hall on the line', 'three')).toEqual(done())
    expect(await world.texts('hall', 3)).toEqual(['one', 'two\nlines', 'on the line'])
  })

  test('calls the models that it mentions', async () => {
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
  ])('%j is refused, and nothing is said', async (line, sentence) => {
    await using world = await createCommandWorld()
    expect(await world.type(world.bob, line)).toEqual(refused(sentence))
    expect(await world.texts('hall')).toEqual([])
  })

  test('is refused in a room that one does not see', async () => {
    await using world = await createCommandWorld()
    expect(await world.exec(world.bob, 'say den hello')).toMatchObject({ status: 1 })
    expect(await world.texts('den')).toEqual([])
  })
})

describe('/me', () => {
  test('tells what somebody does', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.bob, 'me waves')).toEqual(done())
    expect(await world.type(world.ann, 'history -n 1')).toEqual(done('2026-01-01 00:00 * bob waves'))
  })

  test('needs a text that can be seen and is not too long', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.bob, 'me')).toEqual(misused('me: TEXT is missing', '/me TEXT…'))
    expect(await world.type(world.bob, 'me \u200b')).toEqual(refused(EMPTY))
    expect(await world.exec(world.bob, `me hall ${'x'.repeat(101)}`)).toEqual(refused(TOO_LONG))
    expect(await world.texts('hall')).toEqual([])
  })
})
