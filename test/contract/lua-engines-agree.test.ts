import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listLua, readBundle } from '../../src/wrap/lua/bundle.ts'
import { type EngineName, ENGINE_NAMES, openEngine } from '../../src/wrap/lua/engines.ts'
import { paths } from '../../src/base/paths.ts'
import type { LuaEngine } from '../../src/wrap/ports.ts'
import type { Snapshot } from '../../src/wrap/snapshot.ts'
import { composePrompt } from '../../src/wrap/compose-prompt.ts'
import { readSnippets, runSnippets } from '../support/lua-snippets/corpus.ts'
import { differencesOf, listOf } from '../support/lua-snippets/differences.ts'
import { expressions, formatCalls, patternCalls } from '../support/lua-snippets/random.ts'
import {
  catalogue,
  messages,
  row,
  sampleModel,
  sampleSnapshot,
  sampleTool,
  snapshotFor,
} from '../support/snapshot.ts'
import { tokenCounters } from '../support/token-counters.ts'
import { runs } from '../support/runs.ts'

/** This one is Lua 5.4 itself: the others are compared with it. */
const LUA: EngineName = 'wasmoon'
const OTHERS = ENGINE_NAMES.filter((name) => name !== LUA)
/** Every snippet with another result than Lua's, and both results. docs/internals/lua-engines.md tells of them by subject. */
const listPath = (name: EngineName): string =>
  join(paths.root, `test/support/lua-snippets/differences-of-${name}.txt`)
const LIMITS = { timeMs: 10_000, memoryBytes: 64 * 1024 * 1024 }

const open = async (name: EngineName): Promise<LuaEngine> =>
  openEngine(name, await readBundle(listLua(paths.lua)), LIMITS)

let lua: LuaEngine
beforeAll(async () => {
  lua = await open(LUA)
})
afterAll(() => lua.close())

test('the Lua snippets have unique names', () => {
  const snippets = readSnippets()
  expect(snippets.length).toBeGreaterThan(500)
  expect(new Set(snippets.map(({ name }) => name)).size).toBe(snippets.length)
})

describe.each(OTHERS)('%s compared with Lua 5.4', (name) => {
  let engine: LuaEngine
  beforeAll(async () => {
    engine = await open(name)
  })
  afterAll(() => engine.close())

  test('the engine differs from Lua 5.4 only in the snippets of its list', async () => {
    const snippets = readSnippets()
    const differences = differencesOf(runSnippets(lua, snippets), runSnippets(engine, snippets))
    await expect(
      listOf(differences),
      'the list is old: npm run docs writes it, and docs/internals/lua-engines.md may need a change',
    ).toMatchFileSnapshot(listPath(name))
  })

  test.each(Object.entries({ expressions, patternCalls, formatCalls }))(
    'the engine gives a Lua value or a Lua error for generated sources: %s',
    (_name, made) => {
      const sources = fc.sample(made, { numRuns: runs(300), seed: 20_240_607 })
      const snippets = sources.map((source, index) => ({ name: `${index}: ${source}`, source }))
      for (const result of runSnippets(engine, snippets).values()) {
        expect(result).toMatch(/^(?:gives|raises|does not compile)/)
        expect(result).not.toMatch(/object Object|function anonymous|=>|\bundefined\b/)
      }
    },
  )

  describe('the bundled layers', () => {
    const tools = catalogue(...Array.from({ length: 30 }, (_, index) => sampleTool(`tool_${index}`)))
    const odd = 'é 漢字 😀 ${x} `y` "q" \\ %d %s\n  indented\n\ttab\u0000nul'
    const script = (source: string): Partial<Snapshot> => ({ script: { source, version: 1 } })

    test.each<[string, Snapshot]>([
      ['an empty room', sampleSnapshot()],
      ['a long conversation under a small budget', snapshotFor(1500, { history: messages(300) })],
      ['many tools', sampleSnapshot({ tools, history: messages(20) })],
      ['tools that must be shortened', snapshotFor(1200, { tools, history: messages(20) })],
      [
        'any text in any place',
        sampleSnapshot({
          room: { ...sampleSnapshot().room, topic: odd, vibe: odd, todo: [{ content: odd, status: 'open' }] },
          model: { ...sampleModel, systemPrompt: odd },
          history: [row(1, { text: odd }), row(2, { kind: 'action', text: odd })],
        }),
      ],
      [
        'calls and results',
        sampleSnapshot({
          history: [
            row(1, {
              kind: 'tool_call',
              author: 'qwen',
              text: '',
              call: 'c1',
              name: 'Grep',
              arguments: { a: [1, 'é'] },
            } as never),
            row(2, {
              kind: 'tool_result',
              author: 'qwen',
              text: 'x'.repeat(900),
              call: 'c1',
              name: 'Grep',
              ok: true,
            } as never),
          ],
        }),
      ],
      [
        'a script with layers of its own',
        sampleSnapshot({
          history: messages(5),
          ...script(`layer("shout", function(b, n)
          for i = 1, n do b:add_layer("shout" .. i, i + 0.5, ("é%d!"):format(i):upper(), i % 2 == 0) end
        end)
        function default_wrap(t) return wrap(t // 2):system():shout(5):history({limit = 3}):custom("n", 7, 1e2) end`),
        }),
      ],
    ])('the bundled layers give the same bytes as on Lua 5.4 for %s', (_what, snapshot) => {
      const counter = tokenCounters.of('o200k_base')
      const [one, two] = [lua, engine].map((each) => composePrompt(snapshot, each, counter))
      expect(JSON.stringify(two)).toBe(JSON.stringify(one))
    })
  })
})
