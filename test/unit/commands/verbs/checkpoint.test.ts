import { describe, expect, test } from 'vitest'
import { createCommandWorld, done, refused } from '../../../support/commands/command-world.ts'

const NONE = 'no checkpoint is set: models read the whole conversation'
const BAD_NAME = "a checkpoint's name is 1-32 of letters, digits, _, . and -"

describe('/checkpoint', () => {
  test('is set after the last entry, shown to all, and cleared', async () => {
    await using world = await createCommandWorld()
    await world.type(world.bob, 'say hello')
    const set = 'ann set checkpoint v1.0: models read the conversation from here on'
    expect(await world.exec(world.ann, 'checkpoint hall v1.0')).toEqual(done(set))
    expect(await world.texts('hall', 2)).toEqual(['hello', set])
    expect(await world.type(world.bob, 'checkpoint')).toEqual(
      done('v1.0, set by ann 2026-01-01T00:00:00.000Z'),
    )
    expect(await world.type(world.ann, 'checkpoint clear')).toEqual(done())
    expect(await world.type(world.bob, 'checkpoint')).toEqual(done(NONE))
  })

  test.each([
    ['v1', 'nothing was said in hall yet: models read from there anyway'],
    ['clear', 'no checkpoint is set'],
    ['a/b', BAD_NAME],
    ['x'.repeat(33), BAD_NAME],
    ['\u001b[2J', BAD_NAME],
  ])('checkpoint %s is refused', async (name, sentence) => {
    await using world = await createCommandWorld()
    expect(await world.type(world.ann, `checkpoint ${name}`)).toEqual(refused(sentence))
    expect(await world.type(world.ann, 'checkpoint')).toEqual(done(NONE))
  })
})
