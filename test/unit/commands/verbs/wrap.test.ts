import { describe, expect, test } from 'vitest'
import type { TurnId } from '../../../../src/chat/entry.ts'
import {
  createCommandWorld,
  createCommandWorldWith,
  jsonOf,
  misused,
  refused,
} from '../../../support/commands/command-world.ts'
import { anotherModel } from '../../../support/turn-world.ts'

describe('/wrap', () => {
  test('draws the prompt of the first model, or prints its text in full', async () => {
    await using world = await createCommandWorld()
    for (const words of ['wrap', 'wrap @qwen', 'wrap QWEN'])
      expect((await world.type(world.bob, words)).out[0]).toMatch(/^@qwen: \d+ of 7000 tokens/)
    for (const words of ['wrap full', 'wrap qwen full']) {
      const [text, picture] = (await world.type(world.bob, words)).out
      expect(text).toContain('hall')
      expect(picture).toMatch(/^@qwen: \d+ of 7000 tokens/)
    }
  })

  test('without a name draws the prompt of the model that the room asked last', async () => {
    await using world = await createCommandWorldWith({ more: [anotherModel('gpt')] })
    const { rooms, storage } = world.turnWorld.chatParts
    const room = (await rooms.get('hall', world.ann)).name
    for (const [index, model] of ['gpt', 'qwen', 'gpt'].entries()) {
      const id = `t${index}` as TurnId
      await storage.models.turns.begin({ id, room, model, requester: 'ann', startedAt: index })
      expect(jsonOf(await world.exec(world.bob, 'wrap hall --json'))).toMatchObject({ model })
    }
  })

  test('gives JSON with the exact sums', async () => {
    await using world = await createCommandWorld()
    expect(jsonOf(await world.exec(world.bob, 'wrap hall --json'))).toMatchObject({
      room: 'hall',
      model: 'qwen',
      budget: { target: 7000 },
    })
  })

  test('refuses other words, and tells of a script that does not compose', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.bob, 'wrap qwem')).toEqual(
      refused('there is no model called @qwem; did you mean @qwen?'),
    )
    expect(await world.type(world.bob, 'wrap qwen half')).toEqual(
      misused('wrap: full, not half', '/wrap [--json] [--html] [MODEL] [FULL]'),
    )
    const { rooms, storage } = world.turnWorld.chatParts
    const room = (await rooms.get('hall', world.ann)).name
    await storage.prompts.scripts.put({ room, source: 'error("no prompt today")', author: 'ann', at: 0 })
    const { status, err } = await world.type(world.bob, 'wrap')
    expect({ status, told: err.join() }).toEqual({ status: 1, told: expect.stringContaining('no prompt') })
  })
})
