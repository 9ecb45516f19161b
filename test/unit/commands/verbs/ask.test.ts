import { describe, expect, test } from 'vitest'
import { createDeferred } from '../../../../src/lib/deferred.ts'
import { ok } from '../../../../src/tools/result.ts'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'
import { touch } from '../../../support/commands/raise-question.ts'
import { tool } from '../../../support/turn-world.ts'

const NO_TOOLS = 'There are no tools in the request I was given.'

describe('ask', () => {
  test('says the question, and prints the answer of the model to a script', async () => {
    await using world = await createCommandWorld()
    expect(await world.exec(world.bob, 'ask hall @qwen tools')).toEqual(done(NO_TOOLS, '\n'))
    expect(await world.texts('hall', 2)).toEqual(['@qwen tools', NO_TOOLS])
  })

  test('prints an entry a line with --json, the question first', async () => {
    await using world = await createCommandWorld(tool('look_up'))
    const { out } = await world.exec(world.bob, 'ask hall --json qwen call look_up {"q":"x"}')
    const entries = out.map((line) => JSON.parse(line) as { readonly kind: string; readonly text: string })
    expect(entries.map((entry) => entry.kind)).toEqual(['message', 'tool_call', 'tool_result', 'reply'])
    expect(entries.at(-1)?.text).toBe('{"q":"x"}')
  })

  test('adds what was piped in to what is on the line', async () => {
    await using world = await createCommandWorld()
    for (const line of ['ask hall qwen', 'ask hall qwen -']) await world.exec(world.bob, line, 'piped')
    expect((await world.texts('hall', 4)).filter((text) => text === '@qwen piped')).toHaveLength(2)
    await world.exec(world.bob, 'ask hall qwen review this -', 'piped')
    expect(await world.texts('hall', 2)).toContain('@qwen review this\npiped')
  })

  test('does not wait in a session, where the room shows the answer', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.bob, 'ask QWEN tools')).toEqual(done())
  })

  test('fails where the turn fails, and says why', async () => {
    await using world = await createCommandWorld()
    const script = 'function default_wrap(t) error("no prompt today") end'
    await world.turnWorld.chatParts.storage.prompts.scripts.put({
      ...{ room: (await world.turnWorld.chatParts.rooms.get('hall', world.ann)).name, source: script },
      ...{ author: 'ann', at: 0 },
    })
    const failed = await world.exec(world.bob, 'ask hall qwen hello')
    expect(failed).toMatchObject({ status: 1, out: [] })
    expect(failed.err.join()).toContain('no prompt today')
  })

  test('says on standard error who stopped it', async () => {
    const begun = createDeferred<void>()
    const endless = tool('endless', (_args, { signal }) => {
      begun.resolve()
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(ok('stopped'))))
    })
    await using world = await createCommandWorld(endless)
    const asked = world.exec(world.bob, 'ask hall qwen call endless {}')
    await begun.promise
    await world.exec(world.ann, 'stop hall')
    expect(await asked).toEqual({ ...refused("ann stopped @qwen's turn for bob"), out: [] })
  })

  test('lets tools do what a script allows by name, if the script is a manager of the room', async () => {
    await using world = await createCommandWorld(touch)
    const call = 'hall qwen call touch {"q":"a.txt"}'
    expect((await world.exec(world.ann, `ask --allow touch ${call}`)).out[0]).toBe('touched a.txt')
    const unnamed = await world.exec(world.ann, `ask ${call}`)
    expect(unnamed.out[0]).toContain('Permission denied: touch it?')
    expect(unnamed.err.join()).toContain('a script must name it: --allow touch')
    expect(await world.exec(world.bob, `ask --allow touch ${call}`)).toEqual(
      refused('only the owner of hall, an op or an admin can allow tools from a script'),
    )
    expect(await world.exec(world.ann, `ask --allow touch,tuoch ${call}`)).toEqual(
      refused('there is no tool called tuoch in hall; see tools'),
    )
    expect(await world.type(world.ann, 'ask --allow touch qwen hello')).toEqual(
      refused('--allow is for scripts: in a session you are asked, and answer with /allow'),
    )
  })

  test.each([
    ['ask hall @qwem hello', 'there is no model called @qwem; did you mean @qwen?'],
    ['ask hall __proto__ hello', 'there is no model called @__proto__; models lists them'],
    ['ask hall qwen', 'there is nothing to ask: give a text, or pipe one in'],
    ['ask hall qwen -', 'there is nothing to ask: give a text, or pipe one in'],
    [
      `ask hall qwen ${'x'.repeat(95)}`,
      'the message has 101 characters and 100 are allowed; nothing was sent',
    ],
    ['ask den qwen hello', 'there is no room called den; see rooms, or make it with create'],
  ])('%s is refused, and nothing is said', async (line, sentence) => {
    await using world = await createCommandWorld()
    expect(await world.exec(world.bob, line)).toEqual(refused(sentence))
    expect(await world.texts('hall')).toEqual([])
  })

  test('needs a model', async () => {
    await using world = await createCommandWorld()
    const form = 'ask ROOM [--json] [--allow TOOL] MODEL [TEXT…]'
    expect(await world.exec(world.bob, 'ask hall')).toEqual(misused('ask: MODEL is missing', form))
  })
})
