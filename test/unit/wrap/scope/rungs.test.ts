import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import type { Prompt, ToolForm } from '../../../../src/wrap/prompt.ts'
import type { Snapshot } from '../../../../src/wrap/snapshot.ts'
import { recount } from '../../../support/any-snapshot.ts'
import { anyLongTexts, anyRoomOfTools, MANY_RUNS, type RoomOfTools } from '../../../support/any-tools.ts'
import { catalogue, messages, sampleModel, sampleTool, snapshotFor } from '../../../support/snapshot.ts'
import { createWorkbench } from '../../../support/workbench.ts'
import { runs } from '../../../support/runs.ts'

const bench = await createWorkbench()
afterAll(() => bench.engine.close())

const formsIn = (prompt: Prompt): Record<string, ToolForm> =>
  Object.fromEntries(prompt.tools.filter(({ id }) => id !== 'find_tools').map(({ id, form }) => [id, form]))
const idsOf = (prompt: Prompt, form: ToolForm): readonly string[] =>
  prompt.tools.filter((tool) => tool.form === form && tool.id !== 'find_tools').map(({ id }) => id)
const small = (count: number) => Array.from({ length: count }, (_, index) => sampleTool(`t${index}`))
const RUNGS: readonly (ToolForm | undefined)[] = [undefined, 'deferred', 'short', 'full']

test('a tool with 12,000 words is shortened, and the other 33 tools stay complete', () => {
  const large = sampleTool('large', { description: `Reads. ${'word '.repeat(12_000)}` })
  const prompt = bench.compose(snapshotFor(28_000, { tools: catalogue(large, ...small(33)) }))
  expect(idsOf(prompt, 'short')).toEqual(['large'])
  expect(idsOf(prompt, 'full')).toHaveLength(33)
})

test('a tool with a huge schema is deferred, and the other 33 tools stay complete', () => {
  const names = Array.from({ length: 6000 }, (_, index) => `choice ${index}`)
  const schema = { type: 'object', properties: { one: { enum: names } } }
  const tools = catalogue(sampleTool('large', { schema }), ...small(33))
  const toolCalls = { large: 1000 }
  const prompt = bench.compose(snapshotFor(28_000, { tools, toolCalls }))
  expect(idsOf(prompt, 'deferred')).toEqual(['large'])
  expect(idsOf(prompt, 'full')).toHaveLength(33)
})

test('the tools used most in the room are loaded first in a small window', () => {
  const tools = catalogue(...small(60))
  const toolCalls = { t7: 9, t41: 3, t58: 100 }
  const prompt = bench.compose(snapshotFor(3000, { tools, toolCalls }))
  const loaded = idsOf(prompt, 'short')
  expect(loaded.length).toBeGreaterThan(8)
  expect(loaded).toEqual(expect.arrayContaining(['t7', 't41', 't58']))
})

test('the loaded tools of a room stay the same until the number of calls has doubled', () => {
  const tools = catalogue(...small(60))
  const at = (calls: number): string => {
    const { system, tools: sent } = bench.compose(snapshotFor(3000, { tools, toolCalls: { t59: calls } }))
    return JSON.stringify([system, sent])
  }
  for (const [first, last] of [
    [4, 7],
    [8, 15],
    [1024, 2047],
  ] as const)
    expect(at(last)).toBe(at(first))
  expect(at(1)).not.toBe(at(0))
})

test('a call of a tool counts as a use of its alias', () => {
  const alias = sampleTool('zz', { aliasOf: ['read_file'] })
  const tools = catalogue(...small(60), sampleTool('read_file'), alias)
  const prompt = bench.compose(snapshotFor(3000, { tools, toolCalls: { read_file: 5 } }))
  expect(idsOf(prompt, 'short')).toContain('zz')
})

test('the tools called in a turn are loaded first, then the tools it found, newest first', () => {
  const tools = catalogue(...small(60))
  const toolCalls = { t1: 1000, t2: 1000 }
  const inTurn = {
    found: ['t50', 't51', 't52'].map((id) => ({ id, form: 'short' as const })),
    called: [
      { id: 't40', form: 'full' as const },
      { id: 't41', form: 'short' as const },
    ],
    reserve: 0,
  }
  const inOrder = ['t41', 't40', 't52', 't51', 't50', 't1', 't2']
  const counts = new Set<number>()
  for (let target = 700; target <= 2400; target += 50) {
    const prompt = bench.compose(snapshotFor(target, { tools, toolCalls, inTurn }))
    const loaded = [...idsOf(prompt, 'short'), ...idsOf(prompt, 'full')]
    const known = inOrder.filter((id) => loaded.includes(id))
    expect(known).toEqual(inOrder.slice(0, known.length))
    if (loaded.length > known.length) expect(known).toEqual(inOrder)
    counts.add(known.length)
  }
  expect(counts.size).toBeGreaterThan(5)
  const all = bench.compose(
    snapshotFor(40_000, { tools, inTurn: { found: [], called: [{ id: 't41', form: 'short' }], reserve: 0 } }),
  )
  expect(idsOf(all, 'short')).toEqual(['t41'])
})

test("the number of tool definitions stays within the provider's maximum", () => {
  const framing = { ...sampleModel.framing, maxTools: 128 }
  const of = (count: number) =>
    bench.compose(
      snapshotFor(100_000, {
        tools: catalogue(...small(count)),
        toolCalls: { [`t${count - 1}`]: 1 },
        model: { ...sampleModel, contextWindow: 101_000, framing },
      }),
    )
  const sent = ({ tools }: Prompt): number => tools.filter(({ definition }) => definition).length
  expect(idsOf(of(128), 'full')).toHaveLength(128)
  const more = of(129)
  expect(sent(more)).toBe(128)
  expect(idsOf(more, 'full')).toHaveLength(127)
  expect(idsOf(more, 'full')).toContain('t128')
})

test('the unused tools of MCP servers are deferred before other unused tools', () => {
  const own = Array.from({ length: 10 }, (_, index) =>
    sampleTool(`own${index}`, { description: 'Reads files and more. '.repeat(4) }),
  )
  const tools = catalogue(...own, ...small(200).map((tool) => ({ ...tool, group: 'mcp' as const })))
  const framing = { ...sampleModel.framing, maxTools: 128 }
  const model = { ...sampleModel, contextWindow: 101_000, framing }
  const prompt = bench.compose(snapshotFor(100_000, { tools, toolCalls: { t150: 1 }, model }))
  expect(idsOf(prompt, 'full')).toEqual(expect.arrayContaining([...own.map(({ id }) => id), 't150']))
})

test('the tools stay within tools_tokens in a large window, used tools first', () => {
  const own = Array.from({ length: 35 }, (_, index) => sampleTool(`own${index}`))
  const servers = small(965).map((tool) => ({ ...tool, group: 'mcp' as const, source: 'server' }))
  const tools = catalogue(...own, ...servers)
  const at = (target: number) =>
    bench.compose(snapshotFor(target, { tools, toolsTokens: 6000, toolCalls: { t900: 1 } }))
  const large = at(28_000)
  expect(formsIn(at(200_000))).toEqual(formsIn(large))
  expect(large.layers.find(({ name }) => name === 'tools')?.tokens).toBeLessThanOrEqual(6000)
  const loaded = [...idsOf(large, 'short'), ...idsOf(large, 'full')]
  expect(loaded).toEqual(expect.arrayContaining([...own.map(({ id }) => id), 't900']))
  expect(idsOf(large, 'deferred').length).toBeGreaterThan(800)
  // The fewest that the config takes.
  const fewest = bench.compose(snapshotFor(200_000, { tools, toolsTokens: 500 }))
  expect(fewest.tools.map(({ name }) => name)).toContain('find_tools')
  const few = bench.compose(snapshotFor(200_000, { tools: catalogue(...own), toolsTokens: 6000 }))
  expect(idsOf(few, 'full')).toHaveLength(35)
  const narrow = bench.compose(snapshotFor(4000, { tools, toolsTokens: 6000 }))
  expect(narrow).toEqual(bench.compose(snapshotFor(4000, { tools })))
})

/** Composes a prompt; returns it with the number of characters that were counted. */
function composeCounting(snapshot: Snapshot): { readonly prompt: Prompt; readonly characters: number } {
  let characters = 0
  const count = (text: string): number => {
    characters += text.length
    return bench.counter.count(text)
  }
  const prompt = bench.composeWith({ ...bench.counter, count }, snapshot)
  return { prompt, characters }
}

test('the tokens of a tool of a million characters are counted only as far as they can fit', () => {
  const description = `Does it. ${'word '.repeat(200_000)}`
  const tools = catalogue(...small(5), sampleTool('huge', { description }))
  const { prompt, characters } = composeCounting(snapshotFor(28_000, { tools, toolsTokens: 6000 }))
  expect(formsIn(prompt)['huge']).toBe('short')
  expect(characters).toBeLessThan(200_000)
})

test('the tokens of 500 huge tools are counted only as far as they can fit', () => {
  const description = `Does it. ${'word '.repeat(20_000)}`
  const tools = catalogue(...small(500).map((tool) => ({ ...tool, description: `${description}${tool.id}` })))
  const { prompt, characters } = composeCounting(snapshotFor(196_000, { tools }))
  expect(prompt.tools).toHaveLength(500)
  expect(characters).toBeLessThan(5_000_000)
})

const given = ({ tools, target, toolCalls, inTurn, maxTools }: RoomOfTools): Snapshot =>
  snapshotFor(target, {
    tools,
    toolCalls,
    inTurn,
    model: {
      ...sampleModel,
      contextWindow: target + 1000,
      framing: { ...sampleModel.framing, ...(maxTools === undefined ? {} : { maxTools }) },
    },
  })

test('the tools of any room stay within the budget, have unique names, and are listed if sent', () => {
  fc.assert(
    fc.property(anyRoomOfTools, fc.double({ min: 0, max: 1, noNaN: true }), (room, toolsShare) => {
      const prompt = bench.compose({ ...given(room), toolsShare })
      expect(prompt.budget.used).toBe(recount(prompt, bench.counter))
      expect(prompt.budget.used).toBeLessThanOrEqual(prompt.budget.target)
      const layer = prompt.layers.find((one) => one.name === 'tools')
      const whole = prompt.budget.target + room.inTurn.reserve
      expect(layer?.tokens ?? 0).toBeLessThanOrEqual(Math.floor(whole * toolsShare))
      const sent = prompt.tools.flatMap(({ definition }) => definition?.name ?? [])
      expect(new Set(sent).size).toBe(sent.length)
      expect(new Set(prompt.tools.map(({ name }) => name)).size).toBe(prompt.tools.length)
      expect(sent.length).toBeLessThanOrEqual(room.maxTools ?? Infinity)
      const names = new Map(prompt.tools.map((tool) => [tool.name, tool]))
      const listed = [...prompt.system.matchAll(/^- \*\*(.*?)\*\*(:?)/gmu)].map((match) => match[1]!)
      expect(new Set(listed).size).toBe(listed.length)
      for (const name of listed) expect(names.has(name)).toBe(true)
      for (const tool of prompt.tools)
        if (tool.definition && tool.id !== 'find_tools') expect(listed).toContain(tool.name)
    }),
    { numRuns: runs(60 * MANY_RUNS) },
  )
})

test('a long to-do list takes no tool away, and other long texts take none from a started turn', () => {
  const share = fc.double({ min: 0.1, max: 1, noNaN: true })
  fc.assert(
    fc.property(anyRoomOfTools, anyLongTexts, share, (room, long, toolsShare) => {
      const short = { ...given(room), toolsShare }
      const { todo, topic, present } = long
      const withList = bench.compose({ ...short, room: { ...short.room, todo } })
      expect(formsIn(withList)).toEqual(formsIn(bench.compose(short)))
      expect(withList.budget.used).toBe(recount(withList, bench.counter))
      expect(withList.budget.used).toBeLessThanOrEqual(withList.budget.target)
      const most = Math.floor(withList.budget.target / 8)
      for (const { name, tokens } of withList.layers)
        if (['room', 'todo', 'participants'].includes(name)) expect(tokens).toBeLessThanOrEqual(most)
      const underWay = { ...short, inTurn: { ...room.inTurn, reserve: room.inTurn.reserve + 1 } }
      const withAll = { ...underWay, room: { ...short.room, todo, topic }, present, history: messages(50) }
      expect(formsIn(bench.compose(withAll))).toEqual(formsIn(bench.compose(underWay)))
    }),
    { numRuns: runs(40 * MANY_RUNS) },
  )
})

test('a tool called in this turn is sent if its short form fits', () => {
  fc.assert(
    fc.property(anyRoomOfTools, anyLongTexts, (room, { todo, topic, present }) => {
      const called = room.inTurn.called.slice(-1)
      const all = given(room)
      const underWay = {
        ...{ ...all, room: { ...all.room, todo, topic }, present },
        inTurn: { found: room.inTurn.found, called, reserve: room.inTurn.reserve + 1 },
      }
      const [id] = called.map((one) => one.id)
      const alone = bench.compose({ ...all, tools: all.tools.filter((tool) => tool.id === id) })
      const needed = alone.tools.reduce((sum, { tokens }) => sum + tokens, 0)
      const isSmall = idsOf(alone, 'full').length > 0 && needed < all.toolsShare * room.target - 300
      const prompt = bench.compose(underWay)
      if (id !== undefined && isSmall && (room.maxTools ?? 10) > 1)
        expect([...idsOf(prompt, 'short'), ...idsOf(prompt, 'full')]).toContain(id)
    }),
    { numRuns: runs(40 * MANY_RUNS) },
  )
})

/** With `more` for tools, none has a lower rung than with `less`. */
const expectNoneLower = (less: Prompt, more: Prompt): void => {
  const forms = formsIn(more)
  for (const [id, form] of Object.entries(formsIn(less)))
    expect(RUNGS.indexOf(forms[id])).toBeGreaterThanOrEqual(RUNGS.indexOf(form))
}

test('a larger tool share never reduces the detail level of a tool', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(anyRoomOfTools, share, share, (room, a, b) => {
      const withShare = (toolsShare: number) => bench.compose({ ...given(room), toolsShare })
      expectNoneLower(withShare(Math.min(a, b)), withShare(Math.max(a, b)))
    }),
    { numRuns: runs(60 * MANY_RUNS) },
  )
})

test("a larger tools_tokens never reduces a tool's detail level, and is never exceeded", () => {
  const most = fc.integer({ min: 1, max: 20_000 })
  fc.assert(
    fc.property(anyRoomOfTools, most, most, (room, a, b) => {
      const withMost = (toolsTokens: number) => {
        const prompt = bench.compose({ ...given(room), toolsTokens })
        const layer = prompt.layers.find(({ name }) => name === 'tools')
        expect(layer?.tokens ?? 0).toBeLessThanOrEqual(toolsTokens)
        expect(prompt.budget.used).toBe(recount(prompt, bench.counter))
        return prompt
      }
      expectNoneLower(withMost(Math.min(a, b)), withMost(Math.max(a, b)))
    }),
    { numRuns: runs(60 * MANY_RUNS) },
  )
})
