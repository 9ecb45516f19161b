import { describe, expect, test } from 'vitest'
import { ok } from '../../../../src/tools/result.ts'
import { sessionIn } from '../../../support/commands/caller.ts'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'
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
    await turn.ended()
    expect(await world.texts('hall', 1)).toEqual(['bob stopped @qwen'])
  })

  test('is refused for what others asked for, but not to who manages the room', async () => {
    const { world, turn } = await createScene()
    await using _ = world
    expect(await world.type(world.guest, 'stop')).toEqual(refused(NOTHING))
    expect(await world.exec(world.ann, 'stop lobby')).toMatchObject({ status: 1 })
    const [run] = world.runs.running(turn.room)
    expect(await world.exec(world.ann, 'stop hall')).toEqual(done())
    await turn.ended()
    await run!.done()
    expect(await world.texts('hall', 4)).toEqual(
      expect.arrayContaining([
        "ann stopped @qwen's turn for bob",
        'ERROR: endless: stopped before it was done: ann stopped it',
      ]),
    )
  })

  test.each(['qwen', '@QWEN'])(
    '%s stops the turns of that model, and no tool that somebody runs',
    async (word) => {
      const { world, turn } = await createScene()
      await using _ = world
      expect(await world.exec(world.guest, `stop hall ${word}`)).toEqual(
        refused('@qwen is doing nothing in hall that you could stop'),
      )
      expect(await world.exec(world.bob, `stop hall ${word}`)).toEqual(done())
      await turn.ended()
      expect(await world.texts('hall', 1)).toEqual(['bob stopped @qwen'])
      expect(await world.exec(world.bob, `stop hall ${word}`)).toMatchObject({ status: 1 })
      expect(await world.exec(world.bob, 'stop hall')).toEqual(done())
    },
  )

  test('says which model was meant, and which rooms and words there are not', async () => {
    const { world, turn } = await createScene()
    await using _ = world
    expect(await world.exec(world.ann, 'stop hall @qwne')).toEqual(
      refused('there is no model called @qwne; did you mean @qwen?'),
    )
    expect(await world.exec(world.bob, 'stop den @qwen')).toEqual(
      refused('there is no room called den; see rooms, or make it with create'),
    )
    expect(await world.type(world.bob, 'stop @qwen now')).toEqual(
      misused('stop: "now" is one word too many', '/stop [MODEL]'),
    )
    const stop = world.commands.find(({ name }) => name === 'stop')
    const room = await world.turnWorld.chatParts.rooms.get('hall', world.bob)
    expect(await stop?.complete?.({ room, person: world.bob, given: [], argument: 'model' })).toEqual([
      'qwen',
    ])
    expect(world.turnWorld.turns.running(room.name)).toContain(turn)
  })

  test('knows what one asked for under a former name, which helps nobody who has that name now', async () => {
    const { world, turn } = await createScene()
    await using _ = world
    await world.exec(world.bob, 'rename bobby')
    const other = { ...world.guest, name: 'bob' }
    expect(await world.exec(other, 'stop hall')).toEqual(refused(NOTHING))
    expect(await world.exec(other, 'stop hall @qwen')).toMatchObject({ status: 1 })
    const [run] = world.runs.running(turn.room)
    expect(await world.exec({ ...world.bob, name: 'bobby' }, 'stop hall')).toEqual(done())
    await Promise.all([turn.ended(), run!.done()])
    expect(world.runs.running(turn.room)).toEqual([])
  })

  test('is refused where nothing runs', async () => {
    await using world = await createCommandWorld()
    expect(await world.exec(world.root, 'stop hall')).toEqual(refused(NOTHING))
  })
})
