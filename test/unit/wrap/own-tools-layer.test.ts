import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listLua, readBundle } from '../../../src/wrap/lua/bundle.ts'
import { ENGINE_NAMES, openEngine } from '../../../src/wrap/lua/engines.ts'
import { paths } from '../../../src/base/paths.ts'
import { composePrompt } from '../../../src/wrap/compose-prompt.ts'
import type { LuaEngine } from '../../../src/wrap/ports.ts'
import type { Prompt } from '../../../src/wrap/prompt.ts'
import type { Snapshot } from '../../../src/wrap/snapshot.ts'
import { catalogue, sampleSnapshot, sampleTool, snapshotFor } from '../../support/snapshot.ts'
import { tokenCounters } from '../../support/token-counters.ts'

/** The script of docs/wrap.md, as it is on the page. */
const page = await readFile(join(paths.root, 'docs/wrap.md'), 'utf8')
const [, example = ''] = /^## A tools layer of your own\n[^]*?^```lua\n([^]*?)^```$/m.exec(page) ?? []

/** A layer whose text has all tools in full, whatever is chosen. */
const longText = `layer("tools", function(builder, scope)
  local _, chosen = tools.select_tools(scope)
  local lines = {}
  for _, tool in ipairs(tools.available_tools(scope)) do lines[#lines + 1] = tool.name .. ": " .. tool.description end
  builder:add_layer("tools", 50, table.concat(lines, "\\n"), true, { tools = chosen })
end)`

const counter = tokenCounters.of('o200k_base')
const numbered = (count: number) =>
  catalogue(
    ...Array.from({ length: count }, (_, at) =>
      sampleTool(`tool_${at}`, { description: `Does ${at}. Then it says what it did, in a few more words.` }),
    ),
  )
const layerOf = (prompt: Prompt) => prompt.layers.find(({ name }) => name === 'tools')

describe.each(ENGINE_NAMES)("a script's own tools layer on %s", (name) => {
  let engine: LuaEngine
  beforeAll(async () => {
    engine = await openEngine(name, await readBundle(listLua(paths.lua)), {
      timeMs: 5000,
      memoryBytes: 64 * 1024 * 1024,
    })
  })
  afterAll(() => engine.close())
  const run = (source: string, snapshot: Snapshot): Prompt =>
    composePrompt({ ...snapshot, script: { source, version: 1 } }, engine, counter)

  test("a script's own tools layer puts its text into the system prompt and keeps the definitions", () => {
    const prompt = run(example, sampleSnapshot({ tools: numbered(2) }))
    const text =
      '## What you can call here\n' +
      '- tool_0(path): Does 0. Then it says what it did, in a few more words.\n' +
      '- tool_1(path): Does 1. Then it says what it did, in a few more words.'
    expect(prompt.system).toContain(text)
    expect(prompt.system).not.toContain('## Your Functions')
    expect(prompt.tools.map(({ definition }) => definition?.name)).toEqual(['tool_0', 'tool_1'])
    expect(layerOf(prompt)?.tokens).toBe(counter.count(text) + prompt.budget.tools)
    expect(prompt.warnings).toEqual([])
  })

  test.each([600, 1000, 2000, 4000, 8000, 16_000])(
    "a script's own tools layer fits a budget of %d tokens with shorter tools",
    (target) => {
      const prompt = run(example, snapshotFor(target, { tools: numbered(50) }))
      expect(layerOf(prompt)?.status).toBe('kept')
      expect(layerOf(prompt)?.tokens).toBeLessThanOrEqual(0.4 * target)
      expect(prompt.budget.used).toBeLessThanOrEqual(target)
      const deferred = prompt.tools.filter(({ form }) => form === 'deferred').length
      if (deferred > 0) expect(prompt.system).toContain(`- ${deferred} more: find_tools loads them`)
      for (const { name: id, form } of prompt.tools)
        expect(prompt.system.includes(`- ${id}(`), id).toBe(form !== 'deferred' && id !== 'find_tools')
    },
  )

  test("a script's own tools layer loads fewer tools if its text is long and the space is small", () => {
    const tight = run(longText, snapshotFor(4000, { tools: numbered(50) }))
    expect(layerOf(tight)?.status).toBe('kept')
    expect(tight.budget.used).toBeLessThanOrEqual(4000)
    const loaded = tight.tools.filter(({ form }) => form === 'short')
    expect(loaded.length).toBeGreaterThan(0)
    expect(tight.tools).toHaveLength(51)
    const wide = run(longText, snapshotFor(16_000, { tools: numbered(50) }))
    expect(wide.tools.every(({ form }) => form === 'full')).toBe(true)
  })

  test("a script that writes the tools layer itself lists only tools in the room's scope", () => {
    const room = { ...sampleSnapshot().room, values: { tool_scope: ['!tool_1'] } }
    const prompt = run(example, sampleSnapshot({ room, tools: numbered(3) }))
    expect(prompt.tools.map(({ id }) => id)).toEqual(['tool_0', 'tool_2'])
    expect(prompt.system).not.toContain('tool_1')
  })

  test('a script that writes the tools layer itself sends none if the scope has no tools', () => {
    const room = { ...sampleSnapshot().room, values: { tool_scope: 'none' } }
    const prompt = run(example, sampleSnapshot({ room, tools: numbered(3) }))
    expect(layerOf(prompt)).toBeUndefined()
    expect(prompt.tools).toEqual([])
  })
})
