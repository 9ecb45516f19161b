import { describe, expect, test } from 'vitest'
import { createCommandWorld, jsonOf, refused } from '../../../support/commands/command-world.ts'
import { tool } from '../../../support/turn-world.ts'

const createScene = () => createCommandWorld(tool('Grep'), tool('calculator'))

describe('/tools', () => {
  test('lists the tools with their cost, the hidden ones with the reason', async () => {
    await using world = await createScene()
    const all = (await world.type(world.bob, 'tools')).out.join().split('\n')
    expect(all[0]).toMatch(/^scope all: 2 of 2 tools, \d+ tokens$/)
    expect(all[1]).toMatch(/^\+ Grep {7}builtin {2}read +\d+ {2}full$/)
    const set = await world.exec(world.ann, 'tools hall Gr* calc* !Grep')
    expect(set.out[0]).toMatch(/^scope Gr\* calc\* !Grep: 1 of 2 tools, \d+ tokens$/)
    expect(await world.texts('hall')).toEqual(['tools: Gr* calc* !Grep'])
    const [, grep, calculator] = (await world.type(world.bob, 'tools')).out.join().split('\n')
    expect(grep).toMatch(/^- Grep .* {2}.*!Grep/)
    expect(calculator).toMatch(/^\+ calculator .* {2}full$/)
  })

  test('gives JSON, and warns of a pattern that matches nothing', async () => {
    await using world = await createScene()
    const { out } = await world.exec(world.ann, 'tools hall nope')
    expect(out[1]).toMatch(/^! .*nope/)
    const list = jsonOf(await world.exec(world.bob, 'tools hall --json')) as object
    expect(list).toMatchObject({ room: 'hall', scope: ['nope'], visible: 0, tokens: 0 })
    expect(list).toMatchObject({ tools: [{ name: 'Grep', visible: false }, { name: 'calculator' }] })
  })

  test.each([
    ['on', 'all'],
    ['off', 'none'],
    ['internal', 'internal'],
  ])('%s is the scope %s', async (word, scope) => {
    await using world = await createScene()
    expect((await world.type(world.ann, `tools ${word}`)).out[0]).toContain(`scope ${scope}:`)
  })

  test('takes its words from several lines, as from one', async () => {
    await using world = await createScene()
    expect((await world.type(world.ann, 'tools Grep\ncalculator')).out[0]).toContain(
      'scope Grep calculator: 2 of 2',
    )
  })

  test('stores and shows patterns without what nobody can see, and changes nothing where that is all', async () => {
    await using world = await createScene()
    await world.exec(world.ann, 'tools hall Gr\u200bep \u{e0041} calc\u009b31m*')
    const list = jsonOf(await world.exec(world.bob, 'tools hall --json'))
    expect(list).toMatchObject({ scope: ['Grep', 'calc*'], visible: 2 })
    expect(await world.texts('hall')).toEqual(['tools: Grep calc*'])
    expect(await world.exec(world.ann, 'tools hall \u200b')).toEqual(
      refused('these patterns have nothing visible in them; the scope was not changed'),
    )
  })

  test('refuses long patterns, and more than 200', async () => {
    await using world = await createScene()
    expect(await world.type(world.ann, `tools ${'x'.repeat(201)}`)).toEqual(
      refused(`a pattern has at most 200 characters: ${'x'.repeat(40)}…`),
    )
    expect(await world.type(world.ann, `tools ${'x '.repeat(201)}`)).toEqual(
      refused('a scope has at most 200 patterns'),
    )
    expect(await world.texts('hall')).toEqual([])
  })
})
