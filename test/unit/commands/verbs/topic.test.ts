import { describe, expect, test } from 'vitest'
import { createCommandWorld, done, refused } from '../../../support/commands/command-world.ts'

describe.each(['topic', 'vibe'])('/%s', (verb) => {
  test('is shown to all, and set by who manages the room, in one line', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.bob, verb)).toEqual(done(`no ${verb} is set`))
    expect(await world.exec(world.ann, `${verb} hall two\n  lines\u001b[31m`)).toEqual(
      done(`ann set the ${verb}: two lines`),
    )
    expect(await world.texts('hall')).toEqual([`ann set the ${verb}: two lines`])
    expect(await world.type(world.bob, verb)).toEqual(done('two lines'))
  })

  test('is refused to others, and where it is too long', async () => {
    await using world = await createCommandWorld()
    expect(await world.type(world.bob, `${verb} mine`)).toEqual(
      refused(`only the owner of hall, an op or an admin can change its ${verb}`),
    )
    expect(await world.type(world.ann, `${verb} ${'x'.repeat(501)}`)).toEqual(
      refused('that is too long: 500 characters are allowed'),
    )
    expect(await world.type(world.ann, verb)).toEqual(done(`no ${verb} is set`))
  })
})
