import { expect, test } from 'vitest'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

const SOURCE = 'function default_wrap(t) return wrap(t):system() end\n'
const FORM = '/script [ACTION] [TEXT…]'

test('/script check compiles a script without storing it', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.ann, 'script hall check', SOURCE)).toEqual(
    done('the script compiles and composes'),
  )
  const bad = await world.exec(world.ann, 'script hall check', 'function (')
  expect(bad).toMatchObject({ status: 1, out: [] })
  expect(await world.exec(world.bob, 'script hall versions')).toEqual(done('no script was ever set'))
})

test('/script check shows the printed output, even if the script fails after it', async () => {
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

test('/script refuses unknown actions, extra words and missing versions', async () => {
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
})
