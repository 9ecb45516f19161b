import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { layerTexts } from '../../../src/commands/pages/prompt-report.ts'
import { type Prompt, userContent, withoutAskersMemory } from '../../../src/wrap/prompt.ts'
import { anySnapshot, composed } from '../../support/any-snapshot.ts'
import { runs } from '../../support/runs.ts'
import { sampleSnapshot, snapshotFor } from '../../support/snapshot.ts'
import { createWorkbench } from '../../support/workbench.ts'

const bench = await createWorkbench()
afterAll(() => bench.engine.close())

const SECRET = 'heron-17'
const said = (...texts: readonly string[]) =>
  texts.map((text, index) => ({ number: index + 1, author: 'ann', text }))
const layerOf = (prompt: Prompt, name: string) => prompt.layers.find((layer) => layer.name === name)

test('the memory of a room follows its instructions in the system prompt, each line with its author', () => {
  const memory = said('tea is at five', 'one\ntwo')
  const prompt = bench.compose(sampleSnapshot({ instructions: ['be brief'], memory }))
  const names = prompt.layers.map(({ name }) => name)
  expect(names.slice(names.indexOf('instructions'))[1]).toBe('memory')
  expect(prompt.system).toContain('\n- ann: tea is at five\n- ann: one\n  two\n')
  expect(layerOf(prompt, 'memory')).toMatchObject({ placement: 'system', status: 'kept' })
})

test('a memory that is too long keeps its newest lines, and its layer says how many', () => {
  const memory = said(...Array.from({ length: 200 }, (_, index) => `fact number ${index} of this room`))
  const prompt = bench.compose(snapshotFor(3000, { memory }))
  const layer = layerOf(prompt, 'memory')
  expect(layer).toMatchObject({
    status: 'trimmed',
    note: expect.stringContaining('of 200 entries') as string,
  })
  expect(layer?.tokens).toBeLessThanOrEqual(prompt.budget.target / 8)
  expect(prompt.system).toContain('fact number 199')
  expect(prompt.system).not.toContain('fact number 0 ')
})

test("the requester's own memory ends the context, right before the message", () => {
  const prompt = bench.compose(sampleSnapshot({ memoryOfAsker: [SECRET], message: 'bob: hi' }))
  expect(prompt.layers.at(-1)).toMatchObject({ name: 'memory_of_asker', late: true, status: 'kept' })
  expect(userContent(prompt)).toMatch(new RegExp(`\\n- ${SECRET}\\n\\nbob: hi$`))
})

test("the prompt before the late layers does not depend on the requester's own memory", () => {
  const [one, two] = [[SECRET], ['likes long answers', 'and tea']].map((memoryOfAsker) =>
    bench.compose(sampleSnapshot({ memory: said('tea'), memoryOfAsker })),
  )
  expect(one!.system).toBe(two!.system)
  expect(one!.context.slice(0, one!.stablePrefix)).toBe(two!.context.slice(0, two!.stablePrefix))
})

const WALK = `
local seen = {}
local function walk(value, depth)
  if type(value) == "string" then seen[#seen + 1] = value end
  if type(value) == "table" and depth < 6 then
    for key, inner in pairs(value) do walk(key, depth + 1) walk(inner, depth + 1) end
  end
end
function default_wrap(t)
  for _, name in ipairs({"memory", "instructions", "look", "who", "exits", "todo", "current_model", "current_user",
      "session", "summary", "persona", "history", "conversation"}) do walk(tools[name](), 0) end
  walk(require("layers.user"), 0)
  local built = wrap(t):system():user():history()
  walk(built, 0)
  return built:custom("spy", table.concat(seen, "|"), 9, false)
end`

test("a script can read the memory of its room, but never the requester's own memory", () => {
  const prompt = bench.run(
    WALK,
    snapshotFor(4000, { memory: said('tea is at five'), memoryOfAsker: [SECRET] }),
  )
  const texts = layerTexts(prompt)!
  const spied = texts.get(layerOf(prompt, 'spy')!)!
  expect(spied).toContain('tea is at five')
  expect(spied).not.toContain(SECRET)
  expect(prompt.context.split(SECRET)).toHaveLength(2)
})

test.each(['require "snapshot"', 'require("host")("memory_of_asker", nil)'])('a script cannot %s', (way) => {
  const snapshot = sampleSnapshot({ memoryOfAsker: [SECRET] })
  const source = `function default_wrap(t) return wrap(t):custom("x", tostring(${way})) end`
  expect(() => bench.run(source, snapshot)).toThrow('script')
})

test('a prompt shown to other people has only the number and tokens of own memories', () => {
  const memoryOfAsker = fc.array(fc.constantFrom(SECRET, `${SECRET} ${'x '.repeat(40)}`), { minLength: 1 })
  fc.assert(
    fc.property(anySnapshot, memoryOfAsker, (given, own) => {
      const prompt = composed(() => bench.compose({ ...given, memoryOfAsker: own }))
      if (typeof prompt === 'string') return
      const shown = withoutAskersMemory(prompt)
      expect(JSON.stringify(shown)).not.toContain(SECRET)
      expect(shown.budget).toEqual(prompt.budget)
      const layer = layerOf(prompt, 'memory_of_asker')!
      expect(layerOf(shown, 'memory_of_asker')).toMatchObject({ tokens: layer.tokens, status: layer.status })
      const texts = layerTexts(shown)
      expect(texts === undefined).toBe(layerTexts(prompt) === undefined)
      const text = texts?.get(shown.layers.at(-1)!)
      if (layer.status === 'kept' && texts) expect(text).toMatch(new RegExp(`: ${own.length}\\]$`))
      expect(shown.context.slice(0, prompt.stablePrefix)).toBe(prompt.context.slice(0, prompt.stablePrefix))
    }),
    { numRuns: runs(80) },
  )
})

test('a prompt without own memories is the same object for other people', () => {
  const prompt = bench.compose(sampleSnapshot({ memory: said('tea') }))
  expect(withoutAskersMemory(prompt)).toBe(prompt)
})
