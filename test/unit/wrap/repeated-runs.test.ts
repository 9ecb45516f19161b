import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { composePrompt } from '../../../src/wrap/compose-prompt.ts'
import { createComposeCache } from '../../../src/wrap/compose-cache.ts'
import type { Snapshot } from '../../../src/wrap/snapshot.ts'
import { catalogue, messages, sampleSnapshot, sampleTool } from '../../support/snapshot.ts'
import { createWorkbench } from '../../support/workbench.ts'
import { runs } from '../../support/runs.ts'

const bench = await createWorkbench()
afterAll(() => bench.engine.close())

const rows = messages(40)
const wraps = (layers: string, before = ''): string =>
  `${before}\nfunction default_wrap(t) return wrap(t):system()${layers} end`
const inRoom = (script: string | undefined, over: Partial<Snapshot> = {}): Snapshot =>
  sampleSnapshot({ ...(script === undefined ? {} : { script: { source: script, version: 1 } }), ...over })

/** Composes all with one cache; returns how often Lua ran for each. */
function runsOfLua(snapshots: readonly Snapshot[]): readonly number[] {
  const cache = createComposeCache()
  let count = 0
  const engine: typeof bench.engine = {
    ...bench.engine,
    run: (job) => {
      count += 1
      return bench.engine.run(job)
    },
  }
  return snapshots.map((snapshot) => {
    count = 0
    composePrompt(snapshot, engine, bench.counter, cache)
    return count
  })
}

/** A conversation that goes on: a line, a second and a question more. */
const turns = (script?: string): readonly Snapshot[] =>
  [5, 6, 7].map((count) =>
    inRoom(script, {
      history: rows.slice(0, count),
      now: count * 1000,
      message: `alice: question ${count}?`,
    }),
  )

test.each([
  ['no script', undefined],
  ['bundled layers', wraps(':room():history(5):user()')],
  ['a layer of its own', wraps(':custom("own", tools.look().topic .. "!"):history()')],
  ['a log', wraps(':history()', 'tools.log("info", "seen")')],
])('Lua runs only once for several turns of a room with %s', (_what, script) => {
  expect(runsOfLua(turns(script))).toEqual([1, 0, 0])
})

test.each([
  ['reads the conversation', wraps(':custom("own", tools.conversation(9))')],
  ['reads rows', wraps(':custom("own", tools.history(1)[1].text)')],
  ['reads the clock', wraps(':custom("own", tostring(tools.now()))')],
  [
    'makes the conversation itself',
    wraps(':history()', 'tools.conversation = function() return tools.now() .. "" end'),
  ],
])('Lua runs for every turn of a room whose script %s', (_what, script) => {
  expect(runsOfLua(turns(script))).toEqual([1, 1, 1])
})

test('Lua runs again for another asker, another topic or another script', () => {
  const [first] = turns()
  const all = [
    first!,
    { ...first!, user: { name: 'bob', role: 'member' as const } },
    { ...first!, room: { ...first!.room, topic: 'another' } },
    { ...first!, script: { source: wraps(':user()'), version: 2 } },
    first!,
  ]
  expect(runsOfLua(all)).toEqual([1, 1, 1, 1, 0])
})

/** Parts of scripts that read all there is, change what they reach, and leave things behind. */
const before = fc.subarray([
  'seen = (seen or "") .. tools.current_user().name .. tools.now()',
  'tools.look().topic = tools.look().topic .. tools.current_user().name',
  'string.rep = function() return tools.current_user().name end',
  'local old = tools.conversation; tools.conversation = function(...) return string.upper(old(...)) end',
  'tools.who = function() return { { name = tools.current_user().name, kind = "person", role = "owner" } } end',
  'layer("user", function(b) b:custom("user", "me: " .. tools.current_user().name) end)',
  'tools.log("info", "asked by " .. tools.current_user().name .. #tools.history(3))',
  'require("wrap").seen = (require("wrap").seen or "") .. tools.current_user().name',
  'tools.unread_conversation = function() return 1 end',
])
const layers = fc.subarray([
  ':history({ limit = 4 })',
  ':custom("seen", tostring(seen) .. tostring(require("wrap").seen) .. string.rep("x", 3))',
  ':custom("clock", tostring(tools.now()))',
  ':custom("read", tools.conversation(2), 40, false, { trim = "oldest" })',
  ':custom("rows", tostring(#tools.history(9)))',
  ':custom("spy", spied())',
  ':custom("own", overridden())',
  ':tools():room():participants():user()',
])
const spies = `
function spied()
  local texts = {}
  require("layers.history")({ add_layer = function(_, _, _, text) texts[#texts + 1] = text end }, 3)
  return table.concat(texts) .. type(tools.unread_conversation)
end
function overridden()
  local texts, own = {}, wrap(100)
  rawset(own, "add_layer", function(_, _, _, text) texts[#texts + 1] = text end)
  own:history(3)
  return table.concat(texts)
end
`
const given = fc.record({
  user: fc.constantFrom({ name: 'alice', role: 'owner' as const }, { name: 'bob', role: 'member' as const }),
  now: fc.constantFrom(1000, 2000),
  history: fc.constantFrom([], rows.slice(0, 3), rows.slice(1, 5)),
  tools: fc.constantFrom([], catalogue(sampleTool('one'), sampleTool('two'))),
  room: fc.constantFrom('', 'a topic').map((topic) => ({ ...sampleSnapshot().room, topic })),
})

test('no prompt contains data of an earlier prompt, whatever scripts read and store', () => {
  fc.assert(
    fc.property(before, layers, fc.array(given, { minLength: 2, maxLength: 8 }), (first, own, asked) => {
      const script = wraps(own.join(''), `${first.join('\n')}${spies}`)
      for (const over of asked) {
        const snapshot = inRoom(script, over)
        expect(bench.compose(snapshot)).toEqual(bench.composeWith(bench.counter, snapshot))
      }
    }),
    { numRuns: runs(60) },
  )
})

test('a script that replaces functions of the bundled layer gets the conversation as text', () => {
  const history = rows.slice(0, 3)
  const texts = (source: string) => bench.compose(inRoom(source, { history })).context
  const plain = texts(wraps(':history(3)'))
  expect(
    texts(
      wraps(':custom("history", spied(), 100, false, { heading = "## The conversation so far" })', spies),
    ),
  ).toBe(plain.replace(/$/, 'nil'))
  expect(
    texts(
      wraps(
        ':custom("history", overridden(), 100, false, { heading = "## The conversation so far" })',
        spies,
      ),
    ),
  ).toBe(plain)
  const upper =
    'local old = tools.conversation\ntools.conversation = function(...) return string.upper(old(...)) end'
  expect(texts(wraps(':history(3)', upper))).toContain(plain.split('\n')[1]!.toUpperCase())
})
