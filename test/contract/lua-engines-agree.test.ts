import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readBundle } from '../../src/adapters/lua/bundle.ts'
import { type EngineName, openEngine } from '../../src/adapters/lua/engines.ts'
import { createTokenCounters } from '../../src/adapters/tokens/tiktoken.ts'
import { paths } from '../../src/app/paths.ts'
import type { LuaEngine } from '../../src/prompt/ports.ts'
import type { Snapshot } from '../../src/prompt/snapshot.ts'
import { composePrompt } from '../../src/prompt/wrap.ts'
import { readSnippets, runSnippets } from '../support/lua-snippets/corpus.ts'
import { differences } from '../support/lua-snippets/differences.ts'
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

const limits = { timeMs: 10_000, memoryBytes: 64 * 1024 * 1024 }
const open = async (name: EngineName): Promise<LuaEngine> =>
  openEngine(name, await readBundle(paths.lua), limits)

let engines: Readonly<Record<EngineName, LuaEngine>>
beforeAll(async () => {
  engines = { wasmoon: await open('wasmoon'), 'lua-in-js': await open('lua-in-js') }
})
afterAll(() => {
  for (const engine of Object.values(engines)) engine.close()
})

describe('a few hundred snippets of Lua', () => {
  const snippets = readSnippets()
  const known = new Map(differences.map((difference) => [difference.snippet, difference]))
  let results: Readonly<Record<EngineName, ReadonlyMap<string, string>>>
  beforeAll(() => {
    results = {
      wasmoon: runSnippets(engines.wasmoon, snippets),
      'lua-in-js': runSnippets(engines['lua-in-js'], snippets),
    }
  })

  test('have names of their own', () => {
    expect(snippets.length).toBeGreaterThan(300)
    expect(new Set(snippets.map(({ name }) => name)).size).toBe(snippets.length)
  })

  test.each(snippets.filter(({ name }) => !known.has(name)))(
    'give the same on both engines: $name',
    ({ name }) => {
      expect(results['lua-in-js'].get(name)).toBe(results.wasmoon.get(name))
    },
  )

  test.each(differences)('differ as the documents say: $snippet', ({ snippet, wasmoon, luaInJs }) => {
    expect(results.wasmoon.get(snippet)).toBe(wasmoon)
    expect(results['lua-in-js'].get(snippet)).toBe(luaInJs)
  })

  test('and docs/lua-engines.md lists all differences and no others', async () => {
    const text = await readFile(join(paths.root, 'docs/lua-engines.md'), 'utf8')
    const rows = text.split('\n').flatMap((line) => /^\| ([a-z]+: .*?) +\| (.*?) +\|$/.exec(line) ?? [])
    const listed = Array.from({ length: rows.length / 3 }, (_, index) =>
      rows.slice(index * 3 + 1, index * 3 + 3),
    )
    expect(listed).toEqual(differences.map(({ snippet, why }) => [snippet, why]))
  })
})

describe('what fast-check makes up gives the same on both engines', () => {
  /** Known: JavaScript has no sign of NaN, and a pattern is read whole before it is matched. */
  const malformed = /malformed|unfinished capture|invalid pattern capture|invalid capture index|missing/
  const settled = (text = ''): string => text.replaceAll('-nan', 'nan')

  test.each(Object.entries({ expressions, patternCalls, formatCalls }))('%s', (_name, made) => {
    // Always the same ones: what fails here must fail on the next machine too.
    const sources = fc.sample(made, { numRuns: 300, seed: 20_240_607 })
    const snippets = sources.map((source, index) => ({ name: `${index}: ${source}`, source }))
    const [one, two] = [runSnippets(engines.wasmoon, snippets), runSnippets(engines['lua-in-js'], snippets)]
    const differing = snippets.filter(
      ({ name }) => settled(one.get(name)) !== settled(two.get(name)) && !malformed.test(two.get(name) ?? ''),
    )
    expect(differing.map(({ name }) => [name, one.get(name), two.get(name)])).toEqual([])
    expect([...one.values()].filter((text) => text.startsWith('gives')).length).toBeGreaterThan(100)
  })
})

describe('the bundled layers give the same bytes on both engines', () => {
  const counters = createTokenCounters()
  afterAll(() => counters.close())
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
        room: {
          ...sampleSnapshot().room,
          topic: odd,
          vibe: odd,
          todo: [{ content: odd, status: 'open' }],
        },
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
  ])('for %s', (_what, snapshot) => {
    const counter = counters.of('o200k_base')
    const [one, two] = [engines.wasmoon, engines['lua-in-js']].map((engine) =>
      composePrompt(snapshot, engine, counter),
    )
    expect(JSON.stringify(two)).toBe(JSON.stringify(one))
  })
})
