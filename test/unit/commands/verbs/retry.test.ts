import { describe, expect, test } from 'vitest'
import { createDeferred } from '../../../../src/lib/deferred.ts'
import { ok } from '../../../../src/tools/result.ts'
import {
  createCommandWorld,
  done,
  refused,
  type CommandWorld,
} from '../../../support/commands/command-world.ts'
import { tool } from '../../../support/turn-world.ts'

const NOTHING = 'you have asked no model in hall lately; say @MODEL and your question'
const AT_WORK = '@qwen is at work on that question; stop it, or wait until it is done'

/** A world with a tool that fails the turn, or waits, until a test says otherwise. */
async function createScene() {
  const begun = createDeferred<void>()
  const may = createDeferred<void>()
  const slow = tool('slow', async (_args, { signal }) => {
    begun.resolve()
    signal.addEventListener('abort', () => may.resolve())
    await may.promise
    return ok('slept')
  })
  return { world: await createCommandWorld(slow), begun: begun.promise, wake: may.resolve }
}

/** Breaks the prompts of hall, or mends them. */
async function setScript(world: CommandWorld, source: string): Promise<void> {
  await world.turnWorld.chatParts.storage.prompts.scripts.put({
    ...{ room: (await world.turnWorld.chatParts.rooms.get('hall', world.ann)).name, source },
    ...{ author: 'ann', at: 0 },
  })
}

const BROKEN = 'function default_wrap(t) error("no prompt today") end'

describe('retry', () => {
  test('asks again what failed, not what was answered since, until it is answered', async () => {
    await using world = await createCommandWorld(tool('look_up'))
    await setScript(world, BROKEN)
    await world.exec(world.bob, 'ask hall qwen call look_up {"q":"first"}')
    expect(await world.exec(world.bob, 'retry hall')).toMatchObject({ status: 1, out: [] })
    await setScript(world, '')
    await world.exec(world.bob, 'ask hall qwen call look_up {"q":"second"}')
    expect(await world.exec(world.bob, 'retry hall')).toEqual(done('{"q":"first"}', '\n'))
    expect(await world.texts('hall', 4)).toContain('bob asked @qwen again: @qwen call look_up {"q":"first"}')
    expect(await world.exec(world.bob, 'retry hall')).toEqual(done('{"q":"first"}', '\n'))
    await world.exec(world.bob, 'ask hall qwen call look_up {"q":"third"}')
    expect(await world.exec(world.bob, 'retry hall')).toEqual(done('{"q":"third"}', '\n'))
  })

  test('says the question no second time: the same message is answered', async () => {
    await using world = await createCommandWorld()
    await world.exec(world.bob, 'ask hall qwen tools')
    const { out } = await world.exec(world.bob, 'retry hall --json')
    const entries = out.map((line) => JSON.parse(line) as { readonly kind: string; readonly text: string })
    expect(entries.map(({ kind }) => kind)).toEqual(['message', 'reply'])
    expect((await world.texts('hall', 9)).filter((text) => text === '@qwen tools')).toHaveLength(1)
  })

  test('asks what was stopped, in a session without waiting', async () => {
    const { world, begun } = await createScene()
    await using _ = world
    await world.type(world.bob, 'ask qwen call slow {}')
    await begun
    const room = await world.turnWorld.chatParts.rooms.get('hall', world.bob)
    const [turn] = world.turnWorld.turns.running(room.name)
    await world.type(world.bob, 'stop')
    await turn?.ended()
    expect(await world.type(world.bob, 'retry')).toEqual(done())
    const [again] = world.turnWorld.turns.running(room.name)
    expect(again?.message).toBe(turn?.message)
    await again?.ended()
  })

  test('is refused while that question is being answered', async () => {
    const { world, begun, wake } = await createScene()
    await using _ = world
    await world.type(world.bob, 'ask qwen call slow {}')
    await begun
    expect(await world.exec(world.bob, 'retry hall')).toEqual(refused(AT_WORK))
    wake()
  })

  test('asks a question as its author changed it, and none that its author took back', async () => {
    await using world = await createCommandWorld(tool('look_up'))
    await world.exec(world.bob, 'ask hall qwen call look_up {"q":"first"}')
    await world.exec(world.bob, 'edit hall @qwen call look_up {"q":"second"}')
    expect(await world.exec(world.bob, 'retry hall')).toEqual(done('{"q":"second"}', '\n'))
    expect(await world.texts('hall', 4)).toContain('bob asked @qwen again: @qwen call look_up {"q":"second"}')
    await world.exec(world.bob, 'retract hall')
    expect(await world.exec(world.bob, 'retry hall')).toEqual(refused(NOTHING))
  })

  test('is refused to somebody who is muted, before the room is told of it', async () => {
    await using world = await createCommandWorld()
    await world.exec(world.bob, 'ask hall qwen tools')
    await world.exec(world.ann, 'mute hall bob')
    const [line] = (await world.exec(world.bob, 'say hall hello')).err
    expect(line).toContain('muted')
    expect(await world.exec(world.bob, 'retry hall')).toEqual(refused(line ?? ''))
    const [told] = (await world.texts('hall', 1)) ?? []
    expect(told).toContain('muted bob')
  })

  test('asks what one asked under a former name, and nothing that its bearer of now did not ask', async () => {
    await using world = await createCommandWorld(tool('look_up'))
    await world.exec(world.bob, 'ask hall qwen call look_up {"q":"first"}')
    await world.exec(world.bob, 'rename bobby')
    expect(await world.exec({ ...world.guest, name: 'bob' }, 'retry hall')).toEqual(refused(NOTHING))
    expect(await world.exec({ ...world.bob, name: 'bobby' }, 'retry hall')).toEqual(
      done('{"q":"first"}', '\n'),
    )
    expect(await world.texts('hall', 4)).toContain(
      'bobby asked @qwen again: @qwen call look_up {"q":"first"}',
    )
  })

  test('asks nothing that others asked, here or elsewhere, and nothing in a room that is not there', async () => {
    await using world = await createCommandWorld()
    await world.exec(world.ann, 'ask hall qwen tools')
    await world.exec(world.bob, 'ask lobby qwen tools')
    expect(await world.exec(world.bob, 'retry hall')).toEqual(refused(NOTHING))
    const missing = await world.exec(world.bob, 'retry dxn')
    expect(await world.exec(world.bob, 'retry den')).toEqual(
      refused((missing.err[0] ?? '').replace('dxn', 'den')),
    )
  })
})
