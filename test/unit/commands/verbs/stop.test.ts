import { describe, expect, test } from 'vitest'
import { ok } from '../../../../src/tools/result.ts'
import { sessionIn } from '../../../support/commands/caller.ts'
import { createCommandWorld, done, refused } from '../../../support/commands/command-world.ts'
import { tool } from '../../../support/turn-world.ts'

const NOTHING = 'nothing that you could stop is running in hall'

/** Bob's tool is at work in hall, and so is a turn that he asked for: both until they are stopped. */
async function createScene() {
  const working: (() => void)[] = []
  const endless = tool('endless', (_args, { signal }) => {
    working.shift()?.()
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(ok('stopped'))))
  })
  const world = await createCommandWorld(endless)
  const room = await world.turnWorld.chatParts.rooms.get('hall', world.bob)
  const { caller } = sessionIn(room, world.bob)
  for (const line of ['run endless', 'ask qwen call endless {}']) {
    const begun = new Promise<void>((resolve) => working.push(resolve))
    await world.runner.command(line, caller)
    await begun
  }
  const [turn] = world.turnWorld.turns.running(room.name)
  return { world, turn: turn! }
}

describe('/stop', () => {
  test('stops what one asked for: turns and runs', async () => {
    const { world, turn } = await createScene()
    await using _ = world
    expect(await world.type(world.bob, 'stop')).toEqual(done())
    expect(await turn.done).toMatchObject({ kind: 'notice', text: 'bob stopped @qwen' })
  })

  test('is refused for what others asked for, but not to who manages the room', async () => {
    const { world, turn } = await createScene()
    await using _ = world
    expect(await world.type(world.guest, 'stop')).toEqual(refused(NOTHING))
    expect(await world.exec(world.ann, 'stop lobby')).toMatchObject({ status: 1 })
    expect(await world.exec(world.ann, 'stop hall')).toEqual(done())
    await turn.done
  })

  test('is refused where nothing runs', async () => {
    await using world = await createCommandWorld()
    expect(await world.exec(world.root, 'stop hall')).toEqual(refused(NOTHING))
  })
})
