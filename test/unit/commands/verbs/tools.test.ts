import { describe, expect, test } from 'vitest'
import { createCommandWorld, jsonOf, refused } from '../../../support/commands/command-world.ts'
import { tool } from '../../../support/turn-world.ts'

const createScene = () => createCommandWorld(tool('Grep'), tool('calculator'))

describe('/tools', () => {
  test('lists the tools with their cost, the hidden ones with the reason', async () => {
    await using world = await createScene()
    const all = (await world.type(world.bob, 'tools')).out.join().split('\n')
    expect(all[0]).toMatch(/^scope all: 2 of 2 tools, \d+ tokens for @qwen$/)
    expect(all[1]).toMatch(/^builtin {2}2 tools {2}\d+ tokens {2}2 full$/)
    expect(all[2]).toMatch(/^\+ Grep {8}read +\d+ {2}full$/)
    const set = await world.exec(world.ann, 'tools hall Gr* calc* !Grep')
    expect(set.out[0]).toMatch(/^scope Gr\* calc\* !Grep: 1 of 2 tools, \d+ tokens for @qwen$/)
    expect(await world.texts('hall')).toEqual(['tools: Gr* calc* !Grep'])
    const [, group, grep, calculator] = (await world.type(world.bob, 'tools')).out.join().split('\n')
    expect(group).toMatch(
      /^builtin {2}2 tools {2}\d+ tokens {2}1 full, 1 hidden \(room: taken away by !Grep\)$/,
    )
    expect(grep).toMatch(/^- Grep .* {2}.*!Grep/)
    expect(calculator).toMatch(/^\+ calculator .* {2}full$/)
  })

  test('gives JSON', async () => {
    await using world = await createScene()
    await world.exec(world.ann, 'tools hall Grep')
    const list = jsonOf(await world.exec(world.bob, 'tools hall --json')) as object
    expect(list).toMatchObject({ room: 'hall', scope: ['Grep'], visible: 1, warnings: [] })
    expect(list).toMatchObject({ tools: [{ name: 'Grep' }, { name: 'calculator', visible: false }] })
  })

  test.each([
    ['grpe', 'grpe matches no tool; did you mean Grep?'],
    ['Grep !calcluator', '!calcluator matches no tool; did you mean !calculator?'],
    ['calc* nope', 'nope matches no tool'],
    ['Gr* !Grep', 'Gr* !Grep leaves no tool; case counts, and /tools off takes all away'],
  ])('%s changes nothing and fails', async (words, problem) => {
    await using world = await createScene()
    await world.type(world.ann, 'tools calculator')
    const sentence = `${problem}; the scope was not changed`
    expect(await world.type(world.ann, `tools ${words}`)).toEqual(refused(sentence))
    expect(await world.exec(world.ann, `tools hall ${words}`)).toEqual(
      refused(sentence.replace('/tools', 'tools')),
    )
    expect(jsonOf(await world.exec(world.bob, 'tools hall --json'))).toMatchObject({ scope: ['calculator'] })
    expect(await world.texts('hall')).toEqual(['tools: calculator'])
  })

  test('says the same price of a tool as /wrap, to people and to programs', async () => {
    await using world = await createScene()
    const wrap = jsonOf(await world.exec(world.bob, 'wrap hall --json')) as {
      readonly budget: { readonly tools: number }
      readonly tools: readonly { readonly name: string; readonly tokens: number }[]
    }
    const list = jsonOf(await world.exec(world.bob, 'tools hall --json')) as {
      readonly tokens: number
      readonly tools: readonly { readonly name: string; readonly tokens: number }[]
    }
    expect(list.tools.map(({ name, tokens }) => ({ name, tokens }))).toEqual(
      wrap.tools.map(({ name, tokens }) => ({ name, tokens })),
    )
    expect(list.tokens).toBe(wrap.budget.tools)
    const lines = (await world.exec(world.bob, 'tools hall')).out.join('\n')
    const picture = (await world.exec(world.bob, 'wrap hall @qwen full')).out.join('\n')
    expect(lines).toContain(`, ${wrap.budget.tools} tokens for @qwen`)
    expect(picture).toMatch(new RegExp(`definitions +${wrap.budget.tools} `))
    for (const { name, tokens } of wrap.tools) {
      expect(lines).toMatch(new RegExp(`${name} +read +${tokens} `))
      expect(picture).toMatch(new RegExp(`^ +${name} +${tokens} `, 'm'))
    }
  })

  test('shows what is not sent as such, and counts only what is', async () => {
    await using world = await createScene()
    const script = 'function default_wrap(t) return wrap(t):system():tools("Grep") end'
    await world.exec(world.ann, 'script hall set', script)
    const [first = '', , grep, calculator] = (await world.exec(world.bob, 'tools hall')).out
      .join()
      .split('\n')
    expect(grep).toMatch(/ full$/)
    expect(calculator).toMatch(/ \d+ {2}not sent, \/wrap tells why$/)
    expect(/(\d+) tokens for/.exec(first)?.[1]).toBe(/ (\d+) {2}full$/.exec(grep ?? '')?.[1])
  })

  test('lists those that are asked for by name, without a change and for everybody, in JSON as well', async () => {
    await using world = await createScene()
    await world.exec(world.ann, 'tools hall Grep')
    const [, group, tool, ...rest] = (await world.type(world.bob, 'tools --list calc*')).out
      .join()
      .split('\n')
    expect(group).toBe('builtin  1 tool  0 tokens  1 hidden (room: not in the scope)')
    expect(tool).toMatch(/^- calculator {2}read {2}\d+ {2}room: not in the scope$/)
    expect(rest).toEqual([])
    const all = (await world.exec(world.bob, 'tools hall --list all')).out.join()
    expect(all).toMatch(/\n\+ Grep .*\n- calculator /)
    const list = jsonOf(await world.exec(world.bob, 'tools hall --json --list read --list !Grep'))
    expect(list).toMatchObject({ scope: ['Grep'], visible: 1, tools: [{ name: 'calculator' }] })
    expect((list as { tools: unknown[] }).tools).toHaveLength(1)
    expect(await world.texts('hall')).toEqual(['tools: Grep'])
  })

  test.each([
    ['--list grpe', 'grpe matches no tool; did you mean Grep?'],
    ['--list mcp', 'mcp matches no tool'],
    ['--list \u200b', 'these patterns have nothing visible in them'],
    [`--list ${'x'.repeat(201)}`, `a pattern has at most 200 characters: ${'x'.repeat(40)}…`],
  ])('%s lists nothing and fails', async (words, problem) => {
    await using world = await createScene()
    const { status, out, err } = await world.exec(world.bob, `tools hall ${words}`)
    expect({ status, out }).toEqual({ status: 1, out: [] })
    expect(err.join()).toContain(problem)
  })

  test('does not list and set at once', async () => {
    await using world = await createScene()
    const { status, err } = await world.exec(world.ann, 'tools hall --list Grep calculator')
    expect(status).toBe(2)
    expect(err.join()).toContain('--list shows tools and sets no scope')
    expect(await world.texts('hall')).toEqual([])
  })

  test('of more than 60 tools shows the groups, and how to see the tools', async () => {
    await using world = await createCommandWorld(...Array.from({ length: 61 }, (_, at) => tool(`t${at}`)))
    const lines = (await world.type(world.bob, 'tools')).out.join().split('\n')
    expect(lines).toEqual([
      expect.stringMatching(/^scope all: 61 of 61 tools, \d+ tokens for @qwen$/),
      expect.stringMatching(/^builtin {2}61 tools {2}\d+ tokens {2}61 full$/),
      '/tools --list NAME lists those of a group',
      '/run find_tools {"query":"…"} finds some',
    ])
    expect((await world.exec(world.bob, 'tools hall')).out.join()).toContain('\ntools hall --list NAME lists')
    expect((await world.type(world.bob, 'tools --list builtin')).out.join().split('\n')).toHaveLength(63)
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
