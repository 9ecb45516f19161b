import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Composer } from '../../../../src/prompt/ports.ts'
import type { UnnamedTool } from '../../../../src/prompt/tool-names.ts'
import type { Snapshot } from '../../../../src/prompt/snapshot.ts'
import { failureOf, inRoom, openPool } from '../../../support/pool.ts'
import { catalogue, sampleTool } from '../../../support/snapshot.ts'

describe('a composer on wrap processes', () => {
  let composer: Composer
  beforeAll(() => {
    composer = openPool({ limits: { cpuMs: 600 } })
  })
  afterAll(() => composer[Symbol.asyncDispose]())

  test('composes the same prompt as in one process', async () => {
    const [one, two] = await Promise.all([
      composer.compose(inRoom('lobby')),
      composer.compose(inRoom('lobby')),
    ])
    expect(one).toEqual(two)
    expect(one.budget.used).toBeGreaterThan(300)
    expect(one.context).toContain('bob: message number 2')
  })

  test('counts tokens', async () => {
    expect(await composer.count('r50k_base', ['hello world', '', '<|endoftext|>'])).toEqual([2, 0, 7])
    expect(await composer.count('p50k_base', [])).toEqual([])
    expect(await failureOf(composer.count('nope', ['x']))).toMatchObject({ reason: 'argument' })
  })

  test('checks a script without keeping it', async () => {
    await composer.check('function default_wrap() return wrap():system() end', inRoom('lobby'))
    expect(await failureOf(composer.check('x = = 1', inRoom('lobby')))).toMatchObject({
      reason: 'script',
      message: expect.stringContaining('script:1: unexpected symbol'),
    })
    expect((await composer.compose(inRoom('lobby'))).layers.length).toBeGreaterThan(3)
  })

  test.each([
    ['while true do end', 'limit'],
    ['while true do pcall(function() while true do end end) end', 'limit'],
    ['local s = ("x"):rep(1e9)', 'limit'],
    ['local t = {} while true do t[#t + 1] = {} end', 'limit'],
    ['local function f() return 1 + f() end f()', 'script'],
    ['function default_wrap() return wrap():custom("x", ("y"):rep(1e6)) end', 'limit'],
    ['load("\\27Lua")()', 'script'],
    ['os.execute("touch pwned")', 'script'],
    ['io.open("/etc/passwd")', 'script'],
    ['require "fs"', 'script'],
    ['getmetatable("").__index.upper = 1', 'script'],
    ['for i = 1, 1e4 do tools.count_tokens(("a"):rep(1e5) .. i) end', 'limit'],
    ['tools.available_tools((function() local t = {} t.t = t return t end)())', 'script'],
    ['local t = setmetatable({}, {}) getmetatable(t).__call = t t()', 'limit'],
  ])('ends %s, and the room composes again', async (script, reason) => {
    expect(await failureOf(composer.compose(inRoom('hostile', script)))).toMatchObject({ reason })
    expect((await composer.compose(inRoom('hostile'))).budget.used).toBeGreaterThan(300)
  })

  test('sends a tool once to a process, and again when it has changed', async () => {
    await using one = openPool({ size: 1 })
    const withTools = (...tools: readonly UnnamedTool[]): Snapshot => ({
      ...inRoom('tools'),
      tools: catalogue(...tools),
    })
    const described = async (snapshot: Snapshot): Promise<readonly (string | undefined)[]> =>
      (await one.compose(snapshot)).tools.map((tool) => tool.definition?.description)
    const first = withTools(sampleTool('a'), sampleTool('b'))
    expect(await described(first)).toEqual(['Does what a says.', 'Does what b says.'])
    expect(await described(first)).toEqual(['Does what a says.', 'Does what b says.'])
    expect(await described(withTools(sampleTool('b', { description: 'New.' }), sampleTool('a')))).toEqual([
      'New.',
      'Does what a says.',
    ])
  })

  test('refuses a snapshot that is not plain data or not whole, and goes on', async () => {
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    const snapshot = { ...inRoom('lobby'), message: circular } as unknown as Snapshot
    expect(await failureOf(composer.compose(snapshot))).toMatchObject({ reason: 'argument' })
    const strange = { ...inRoom('lobby'), present: 5 } as unknown as Snapshot
    expect(await failureOf(composer.compose(strange))).toMatchObject({ reason: 'process' })
    expect((await composer.compose(inRoom('lobby'))).budget.used).toBeGreaterThan(300)
  })
})
