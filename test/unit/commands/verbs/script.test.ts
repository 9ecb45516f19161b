import { describe, expect, test } from 'vitest'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

const SOURCE = 'function default_wrap(t) return wrap(t):system() end\n'
const NO_SCRIPT = '-- no script is set: the bundled default_wrap composes the prompts here'
const FORM = '/script ACTION [TEXT…]'

describe('script', () => {
  test('is set from standard input, shown by version, and reset', async () => {
    await using world = await createCommandWorld()
    expect(await world.exec(world.bob, 'script hall show')).toEqual(done(NO_SCRIPT))
    expect(await world.exec(world.bob, 'script hall versions')).toEqual(done('no script was ever set'))
    expect(await world.exec(world.ann, 'script hall set', SOURCE)).toEqual(
      done("ann set the room's script (version 1)"),
    )
    expect(await world.exec(world.bob, 'script hall show')).toEqual(done(SOURCE))
    expect(await world.type(world.ann, 'script reset')).toEqual(done())
    expect(await world.texts('hall')).toEqual(["ann reset the room's script (version 2)"])
    expect(await world.exec(world.bob, 'script hall show')).toEqual(done(NO_SCRIPT))
    expect(await world.exec(world.bob, 'script hall show 1')).toEqual(done(SOURCE))
    const { out } = await world.exec(world.bob, 'script hall versions')
    expect(out[0]).toMatch(
      /^2  1 Jan 2026 00:00 UTC  ann  reset\n1  1 Jan 2026 00:00 UTC  ann  53 characters$/,
    )
  })

  test('can be checked, and nothing is changed then', async () => {
    await using world = await createCommandWorld()
    expect(await world.exec(world.ann, 'script hall check', SOURCE)).toEqual(
      done('the script compiles and composes'),
    )
    const bad = await world.exec(world.ann, 'script hall check', 'function (')
    expect(bad).toMatchObject({ status: 1, out: [] })
    expect(await world.exec(world.bob, 'script hall versions')).toEqual(done('no script was ever set'))
  })

  test('shows what it prints, also where it fails after that', async () => {
    await using world = await createCommandWorld()
    const printing = `print("room", tools.look().name, nil, {})\n${SOURCE}`
    expect(await world.exec(world.ann, 'script hall check', printing)).toEqual(
      done('| room\thall\tnil\ttable', 'the script compiles and composes'),
    )
    expect(await world.exec(world.ann, 'script hall check', 'print("so far")\nerror("no")')).toEqual({
      ...refused('script:2: no'),
      out: ['| so far'],
    })
    await world.exec(world.ann, 'script hall set', printing)
    expect((await world.exec(world.bob, 'wrap hall @qwen full')).out.join()).not.toContain('| room')
  })

  test('that does not compose is not set', async () => {
    await using world = await createCommandWorld()
    for (const source of ['function (', 'function default_wrap(t) error("no") end'])
      expect(await world.exec(world.ann, 'script hall set', source)).toMatchObject({ status: 1, out: [] })
    expect(await world.exec(world.ann, 'script hall versions')).toEqual(done('no script was ever set'))
  })

  test.each([
    ['', 'there is no script: give it on standard input'],
    [' \n ', 'there is no script: give it on standard input'],
    ['return "\0"', 'a script is text; this one has a NUL byte in it'],
  ])('%j is no script', async (source, sentence) => {
    await using world = await createCommandWorld()
    for (const action of ['check', 'set'])
      expect(await world.exec(world.ann, `script hall ${action}`, source)).toEqual(refused(sentence))
  })

  test('has at most 65,536 characters', async () => {
    await using world = await createCommandWorld()
    expect(await world.exec(world.ann, 'script hall set', 'x'.repeat(65_537))).toEqual(
      refused('a script has at most 65536 characters'),
    )
  })

  test('refuses other words', async () => {
    await using world = await createCommandWorld()
    for (const word of ['edit', 'SHOW', 'constructor', 'x'.repeat(99)]) {
      const problem = `script: show, set, check, reset, versions or log, not ${word.slice(0, 40)}`
      expect(await world.type(world.bob, `script ${word}`)).toEqual(misused(problem, FORM))
    }
    expect(await world.type(world.bob, 'script reset now')).toEqual(
      misused('script: reset takes nothing more', FORM),
    )
    expect(await world.type(world.bob, 'script show 9')).toEqual(
      refused('hall has no script version 9; /script versions lists them'),
    )
    expect(await world.type(world.bob, 'script')).toEqual(
      misused('script: ACTION is missing', '/script ACTION [TEXT…]'),
    )
  })
})
